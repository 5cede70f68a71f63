import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { PosthornProcess } from '../../src/support/posthorn.ts'
import { eventually } from '../../src/support/waiting.ts'
import { contentEvent } from '../sampleEvents.ts'
import { type Account, arrived, Hooks, openAccount } from './history.ts'
import { Stage } from './stage.ts'

const BATCHES = 12
const BATCH = 1_000
/** Longer than killing and repeating a move a few times. */
const RETRIES = { POSTHORN_CONTENT_RETRY: '20s' }

let stage: Stage
let account: Account
let published: string[]

beforeEach(async () => {
  stage = await Stage.set()
  await stage.serveEmbedded(RETRIES)
  account = await openAccount(stage.api, 'content')
  published = []
  for (let batch = 0; batch < BATCHES; batch++) {
    const events = Array.from({ length: BATCH }, () => contentEvent({ id: `evt_${randomUUID()}` }))
    await publish(events)
  }
  const hooks = new Hooks(stage.api, stage.receiver, account, 'content')
  const failing = await hooks.add('/later', { kind: 'status', status: 503 })
  await publish([contentEvent({ id: `evt_${randomUUID()}` })])
  await hooks.attempted(failing)
  await stage.killService()
})

afterEach(() => stage.strike())

async function publish(events: readonly object[]): Promise<void> {
  const path = `/v1/workspaces/${account.ws}/events/batch`
  const answer = await stage.api.post<{ events: { id: string }[] }>(path, account.key, { events })
  published.push(...answer.events.map(({ id }) => id))
}

/** The whole feed, from its beginning. */
async function feed(): Promise<string[]> {
  const ids: string[] = []
  for (let after = ''; ; ) {
    const path = `/v1/workspaces/${account.ws}/events?limit=100${after}`
    const page = await stage.api.get<{ data: { id: string }[]; next_cursor: string; has_more: boolean }>(
      path,
      account.key,
    )
    ids.push(...page.data.map(({ id }) => id))
    if (!page.has_more) return ids
    after = `&after=${page.next_cursor}`
  }
}

test('a move killed repeatedly ends with complete data, and retries continue', async () => {
  const places = [
    'copied workspaces',
    'copied secrets',
    'copied events',
    'copied deliveries',
    'compared workspaces',
  ]
  for (const place of places) {
    await stage.killMoveAt(place)
    const { code, stderr } = await stage.run(['serve'], {
      POSTHORN_PORT: '0',
      POSTHORN_DATABASE_URL: stage.databaseUrl,
    })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^posthorn: the move [^\n]+ is not finished: [^\n]+\n$/),
    ])
  }
  expect((await stage.move()).code).toBe(0)
  await stage.receiver.behave('/later', { kind: 'prompt' })
  await stage.serveMoved(RETRIES)
  expect(await feed()).toEqual(published)
  const requests = await eventually(
    async () => {
      const sent = await arrived(stage.receiver, '/later')
      return sent.length > 1 ? sent : null
    },
    { withinMs: 60_000, what: 'the retry' },
  )
  expect(requests).toMatchObject([{ status: 503 }, { status: 204, forgery: null, body: requests[0]!.body }])
})

test('a move whose connection is closed stops with one line, and continues when it is run again', async () => {
  const settings = { POSTHORN_DATA_DIR: stage.dataDir, POSTHORN_DATABASE_URL: stage.databaseUrl }
  let ended: Promise<unknown> | null = null
  const running: PosthornProcess = new PosthornProcess(['move'], settings, {
    onOutput() {
      if (running.stderr.includes('copied secrets'))
        ended ??= stage.query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        )
    },
  })
  expect(await running.exited).toEqual({ code: 1, signal: null })
  await ended
  expect(running.stderr).toMatch(/\nposthorn: the move stopped: [^\n]+; run it again to continue\n$/)
  const { code, stderr } = await stage.move()
  expect([code, stderr]).toEqual([0, expect.stringContaining('compared waiting: 1 rows')])
})

test('a row changed in the database after it was copied is detected, and starting over fixes it', async () => {
  await stage.killMoveAt('copied deliveries')
  await stage.query(`UPDATE posthorn.events SET body = replace(body, 'sch_', 'sch-') WHERE id = (
    SELECT id FROM posthorn.events ORDER BY id OFFSET ${BATCH * 5} LIMIT 1)`)
  for (let time = 0; time < 2; time++) {
    const { code, stderr } = await stage.move()
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /\nposthorn: events differ where id is up to \d+: 10000 rows in the store, 10000 in the database, not all alike; [^\n]+--start-over\n$/,
    )
  }
  expect((await stage.move('--start-over')).code).toBe(0)
  await stage.serveMoved(RETRIES)
  expect(await feed()).toEqual(published)
})
