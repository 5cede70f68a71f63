import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../src/support/waiting.ts'
import { adsEvent, contentEvent } from '../sampleEvents.ts'
import { arrived, type History, leaveWork, makeHistory } from './history.ts'
import { type Reading, readEverything, repeatSteps } from './readings.ts'
import { LONG, SHORT, Stage } from './stage.ts'

const PATIENCE_MS = 20_000

describe('a store with a history, moved with unfinished work', () => {
  let stage: Stage
  let history: History
  let before: Reading

  beforeAll(async () => {
    stage = await Stage.set()
    await stage.serveEmbedded(SHORT)
    history = await makeHistory(stage.api, stage.receiver)
    await stage.stopService()
    await stage.serveEmbedded(LONG)
    await leaveWork(stage.api, stage.receiver, history)
    before = await stillReading()
    await stage.killService()
    const { code, stdout, stderr } = await stage.move()
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('compared waiting: ') })
    expect(stdout).toMatch(
      /^Moved \d+ rows from \S+ to 127\.0\.0\.1:\d+\/posthorn_\w+ and compared them, in /,
    )
    await stage.serveMoved(LONG)
  })

  afterAll(() => stage.strike())

  /** The API's answers once nothing changes any more. */
  async function stillReading(): Promise<Reading> {
    let last = ''
    return eventually(
      async () => {
        const reading = await readEverything(stage.api, history)
        const text = JSON.stringify(reading.answers)
        const still = text === last
        last = text
        return still ? reading : null
      },
      { withinMs: PATIENCE_MS, what: 'a service at rest' },
    )
  }

  test('reads the same over the API, every list and every item', async () => {
    const after = await readEverything(stage.api, history)
    expect(Object.keys(after.answers).length).toBeGreaterThan(80)
    expect(after.answers).toEqual(before.answers)
  })

  test('continues from every cursor returned before', async () => {
    expect(before.steps.length).toBeGreaterThan(20)
    expect(await repeatSteps(stage.api, before.steps)).toEqual(before.steps)
  })

  test("knows its keys, sessions, idempotency keys and publishers' own ids", async () => {
    const { content, own, once } = history
    const events = `/v1/workspaces/${content.ws}/events`
    expect(await stage.api.post(events, content.key, own)).toEqual({ id: own.id, repeated: true })
    const other = await stage.api.ask('POST', events, {
      token: content.key,
      body: contentEvent({ id: own.id }),
    })
    expect(other.status).toBe(409)
    expect((await stage.api.ask('GET', events, { token: content.revokedKey })).status).toBe(401)
    expect((await stage.api.ask('GET', events, { token: content.session })).status).toBe(200)
    const headers = { 'idempotency-key': once.key }
    expect(await stage.api.post(once.path, content.key, once.body, headers)).toEqual(once.answer)
  })

  test('sends new events, signed with its existing secrets, and they come last in the feeds', async () => {
    const { content, ads, ok, adsOk } = history
    const seen = (await stage.receiver.requests()).length
    const { id } = await stage.api.post<{ id: string }>(
      `/v1/workspaces/${content.ws}/events`,
      content.key,
      contentEvent(),
    )
    const { id: adsId } = await stage.api.post<{ id: string }>(
      '/api/v1/events',
      ads.key,
      adsEvent({ id: randomUUID() }),
    )
    const sent = await eventually(
      async () => {
        const requests = (await stage.receiver.requests()).slice(seen)
        const mine = requests.filter(
          ({ hook, eventId }) =>
            (hook === ok.hook && eventId === id) || (hook === adsOk.hook && eventId === adsId),
        )
        return mine.length === 2 ? mine : null
      },
      { withinMs: PATIENCE_MS, what: 'the new events' },
    )
    expect(sent.map(({ forgery }) => forgery)).toEqual([null, null])
    const feeds = [
      [`/v1/workspaces/${content.ws}/events`, content.key, id],
      ['/api/v1/events', ads.key, adsId],
    ] as const
    for (const [path, key, newest] of feeds) {
      const old = before.answers[path] as readonly { id: string }[]
      const { data } = await eventually(
        async () => {
          const page = await stage.api.get<{ data: { id: string }[] }>(`${path}?limit=100`, key)
          return page.data.length > old.length ? page : null
        },
        { withinMs: PATIENCE_MS, what: 'the new event in its feed' },
      )
      expect(data.map((event) => event.id)).toEqual([...old.map((event) => event.id), newest])
      const last = before.steps.findLast((step) => step.path.startsWith(`${path}?`))!
      const after = await stage.api.get<{ data: { id: string }[] }>(`${last.path}${last.cursor}`, key)
      expect(after.data.map((event) => event.id)).toEqual([newest])
    }
  })

  test('continues the deliveries in flight when the service was killed', async () => {
    for (const hook of ['/silent', '/ads-silent']) {
      const [first] = await arrived(stage.receiver, hook)
      const again = await eventually(
        async () => {
          const requests = await arrived(stage.receiver, hook)
          return requests.filter(({ eventId }) => eventId === first!.eventId)[1] ?? null
        },
        { withinMs: PATIENCE_MS, what: `a second request of the same event at ${hook}` },
      )
      expect(again).toMatchObject({ body: first!.body, forgery: null })
    }
  })

  test('cannot be served from its old place, and moving it again changes nothing', async () => {
    const refused = await stage.run(['serve'], { POSTHORN_PORT: '0' })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(
      /^posthorn: the store in \S+ was moved to 127\.0\.0\.1:\d+\/posthorn_\w+ on [^\n]+\n$/,
    )
    expect(await stage.move()).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('has already been moved to'),
    })
  })
})
