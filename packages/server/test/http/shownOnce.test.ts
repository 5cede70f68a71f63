import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { openTestStore, type ReadableStore } from '../support/testStore.ts'
import { type Client, openClient, SERVICES } from './client.ts'
import { callUnderKey, IDEMPOTENT_CALLS, OF_OPERATIONAL, setScene } from './idempotency.calls.ts'
import { type Answer, startTestService, type TestService } from './service.ts'

const SHOWN_MS = 600_000

let service: TestService
let store: ReadableStore
beforeAll(async () => {
  store = await openTestStore(systemClock)
  service = await startTestService(undefined, { store })
})
afterAll(() => service.stop())

/** Members of answers that contain a secret, or an address with one. */
const SECRETS = ['signing_secret', 'signingSecret', 'key', 'token', 'url', 'embed_url']
const omittedIn = ({ json }: Answer) => json.secret_omitted ?? json.secretOmitted ?? null

/** The secrets in an answer. */
function shownIn({ json }: Answer): Record<string, unknown> {
  const isWebhook = 'description' in json
  const names = SECRETS.filter((name) => name in json && !(isWebhook && name === 'url'))
  return Object.fromEntries(names.map((name) => [name, json[name]]))
}

/** The paths that answer with a secret, according to the documents. */
async function describedPaths(): Promise<string[]> {
  const found: string[] = []
  for (const name of ['content', 'ads', 'admin', 'console']) {
    const { json } = await service.call({ method: 'GET', url: `/openapi/${name}.json` })
    const withSecret = Object.keys(json.components.schemas).filter((title) =>
      /"secret_?omitted":/i.test(JSON.stringify(json.components.schemas[title])),
    )
    for (const [path, { post }] of Object.entries<{ post?: { responses: object } }>(json.paths)) {
      const answers = JSON.stringify(post?.responses ?? {})
      if (withSecret.some((title) => answers.includes(`/schemas/${title}"`))) found.push(path)
    }
  }
  return found.map((path) => path.replace(/\{\w+\}/g, '*'))
}

const SECRET_CALLS = IDEMPOTENT_CALLS.filter(({ title }) =>
  /^(create a webhook|rotate the secret|make a key|make an admin token|sign a member in|make a portal link|make a sign-in link) /.test(
    title,
  ),
)

it('an answer that may omit a secret belongs to one of these calls', async () => {
  const called = SECRET_CALLS.map(({ route }) => route.replace(/:\w+/g, '*'))
  const operational = OF_OPERATIONAL.filter((path) => !path.endsWith('/test'))
  expect([...called, ...operational].sort()).toEqual((await describedPaths()).sort())
})

let keys = 0

describe.each(SECRET_CALLS)('$title, repeated with its Idempotency-Key,', (call) => {
  it('shows the secret again for ten minutes, and then says that this is over', async () => {
    const scene = await setScene(service, call.service)
    const key = `shown-${++keys}`
    const again = () => callUnderKey(service, call, scene, key)
    const first = await again()
    const shown = shownIn(first)
    expect(Object.values(shown).every((value) => typeof value === 'string' && value !== '')).toBe(true)
    expect([Object.keys(shown).length > 0, omittedIn(first)]).toEqual([true, null])
    service.clock.forwardCalendar(SHOWN_MS - 30_000)
    const inTime = await again()
    expect([inTime.status, shownIn(inTime), omittedIn(inTime)]).toEqual([first.status, shown, null])
    service.clock.forwardCalendar(30_000)
    const late = await again()
    const nothing = Object.fromEntries(Object.keys(shown).map((name) => [name, null]))
    expect([late.status, shownIn(late), omittedIn(late)]).toEqual([first.status, nothing, 'expired'])
    const { json } = first
    const omitted = 'secretOmitted' in json ? 'secretOmitted' : 'secret_omitted'
    expect(late.json).toEqual({ ...json, ...nothing, [omitted]: 'expired' })
  })
})

it('no secret is stored in plain form', async () => {
  const secrets: string[] = []
  for (const call of SECRET_CALLS) {
    const scene = await setScene(service, call.service)
    const shown = shownIn(await callUnderKey(service, call, scene, `kept-${++keys}`))
    // Of an address, only the fragment.
    for (const text of Object.values(shown)) secrets.push(String(text).split('#').at(-1)!)
  }
  const dump = await store.dump()
  expect(dump).toContain(`kept-${keys}`)
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(40)
    for (const form of [secret, Buffer.from(secret).toString('hex')]) expect(dump).not.toContain(form)
  }
})

describe.each(SERVICES)('a signing secret of the %s service', (name) => {
  const under = (key: string) => ({ headers: { 'idempotency-key': key } })
  const secretIn = (client: Client, answer: Answer) => [answer.json[client.words.secret], omittedIn(answer)]

  it('is not shown again once it was rotated, however soon', async () => {
    const client = await openClient(service, name)
    const body = client.webhookBody()
    const create = () => client.post('/webhooks', body, under('create'))
    const made = await create()
    const rotate = (key: string) =>
      client.post(`/webhooks/${made.json.id}/rotate-secret`, undefined, under(key))
    const first = await rotate('first')
    expect(secretIn(client, await create())).toEqual([null, 'rotated'])
    expect(secretIn(client, await rotate('first'))).toEqual(secretIn(client, first))
    const second = await rotate('second')
    expect(secretIn(client, await create())).toEqual([null, 'rotated'])
    expect(secretIn(client, await rotate('first'))).toEqual([null, 'rotated'])
    expect(secretIn(client, await rotate('second'))).toEqual(secretIn(client, second))
    service.clock.forwardCalendar(SHOWN_MS)
    expect(secretIn(client, await rotate('first'))).toEqual([null, 'rotated'])
    expect(secretIn(client, await rotate('second'))).toEqual([null, 'expired'])
  })

  it('is shown again after other changes of the webhook', async () => {
    const client = await openClient(service, name)
    const body = client.webhookBody()
    const create = () => client.post('/webhooks', body, under('create'))
    const made = await create()
    await client.call('PATCH', `/webhooks/${made.json.id}`, { body: { description: 'changed' } })
    expect(secretIn(client, await create())).toEqual(secretIn(client, made))
  })

  it('is not shown again once the webhook was deleted', async () => {
    const client = await openClient(service, name)
    const body = client.webhookBody()
    const create = () => client.post('/webhooks', body, under('create'))
    const { json } = await create()
    await client.call('DELETE', `/webhooks/${json.id}`)
    expect(secretIn(client, await create())).toEqual([null, 'expired'])
  })
})
