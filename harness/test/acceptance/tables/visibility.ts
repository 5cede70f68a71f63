import { beforeAll, describe, expect, test } from 'vitest'
import type { Call } from '../../../src/api/client.ts'
import { type Account, addKey, openAccount, SCOPES, unique } from '../accounts.ts'
import { receivedAt } from '../arrivals.ts'
import { type Described, operations, titled } from '../operations.ts'
import { FAILURE_TEXT } from '../receiver.ts'
import { addConsumer } from '../samples/consumers.ts'
import {
  addContentWebhook,
  CONTENT_WORDS,
  contentDelivery,
  inContent,
  publishContent,
} from '../samples/content.ts'
import { sampleOf } from '../samples/index.ts'
import { settled } from '../settled.ts'
import { call, done, receiver } from '../world.ts'

const SCOPE = 'generations:read'
const ATTEMPTS = 3

/** Patterns that reveal event contents, in any answer. */
const TRACES: Readonly<Record<string, RegExp>> = {
  'an event body': /sch_[0-9a-f]{8}-/,
  'a response excerpt': new RegExp(FAILURE_TEXT),
  'a signature': /v1,[A-Za-z0-9+/]{43}=/,
  "the path of a webhook's URL": /\/(ok|fail|hold)\//,
}

const tracesIn = (text: string) =>
  Object.keys(TRACES).filter((name) => TRACES[name]!.test(text.replaceAll('\\/', '/')))

/** A workspace in which another member's webhook failed to receive an event. */
interface Scene {
  readonly account: Account
  /** A key of an owner without the scope. */
  readonly key: string
  readonly webhook: string
  readonly event: string
  readonly delivery: string
  /** An empty one. */
  readonly recovery: string
  /** Its name. */
  readonly consumer: string
}

async function setScene(): Promise<Scene> {
  const account = await openAccount('content')
  const path = `/fail/${unique('hook')}`
  const { id: webhook } = await addContentWebhook(account, path)
  const { id: event } = await publishContent(account)
  const { id: delivery } = await contentDelivery(account, webhook, ['failed'])
  const [arrived] = await receivedAt(path, ATTEMPTS)
  const sent = `${arrived!.path} ${arrived!.body} ${arrived!.headers['webhook-signature']} ${FAILURE_TEXT}`
  expect(tracesIn(sent)).toEqual(Object.keys(TRACES))
  await settled()
  const scopes = SCOPES.content.filter((scope) => scope !== SCOPE)
  const { key } = await addKey(account, { scopes, member_id: account.ownerId })
  const { id: recovery } = await done<{ id: string }>('recoverContentWebhook', {
    ...inContent(account, { id: webhook }),
    json: { since: '2001-01-01T00:00:00Z', until: '2001-01-02T00:00:00Z' },
  })
  await done('createContentOperationalWebhook', {
    ...inContent(account),
    json: { url: receiver().urlOf(`/ok/${unique('operational')}`) },
  })
  const { name: consumer } = (await addConsumer(CONTENT_WORDS, account)).params!
  return { account, key, webhook, event, delivery, recovery, consumer: consumer! }
}

/** A call about the resources of the scene; for lists, all of them. */
async function callIn(scene: Scene, operation: Described): Promise<Call> {
  const sample = await sampleOf(operation)
  if (operation.document !== 'content') return sample
  const named: Readonly<Record<string, string>> = {
    ws: scene.account.ws,
    id: operation.path.includes('/events/{id}') ? scene.event : scene.webhook,
    did: scene.delivery,
    rid: scene.recovery,
    // Any key with the scope may delete it, and other calls need it.
    ...(operation.method === 'delete' ? {} : { name: scene.consumer }),
  }
  const mustHave = new Set(operation.parameters.filter(({ required }) => required).map(({ name }) => name))
  const query = Object.entries(sample.query ?? {}).filter(([name]) => mustHave.has(name))
  return { ...sample, params: { ...sample.params, ...named }, query: Object.fromEntries(query) }
}

export function visibility(): void {
  const reading = operations.filter(({ document, method }) => document === 'content' && method === 'get')
  let scene: Scene
  beforeAll(async () => {
    scene = await setScene()
  })

  describe(`a key without ${SCOPE}`, () => {
    test.each(titled(operations))('sees no event contents in the answer of %s', async (id, operation) => {
      const { text } = await call(id, { ...(await callIn(scene, operation)), key: scene.key })
      expect(tracesIn(text), text).toEqual([])
    })

    test.each(titled(reading))('may still read %s', async (id, operation) => {
      const { status, text } = await call(id, { ...(await callIn(scene, operation)), key: scene.key })
      expect(status, text).toBe(200)
    })
  })

  test(`a key with ${SCOPE} sees all of it`, async () => {
    const seen: Record<string, readonly string[]> = {}
    for (const operation of reading) {
      const what = await callIn(scene, operation)
      seen[operation.id] = tracesIn((await call(operation.id, { ...what, key: scene.account.key })).text)
    }
    const [body, excerpt, , path] = Object.keys(TRACES)
    expect(seen).toMatchObject({
      listContentEvents: [body],
      getContentEvent: [body],
      sampleContentEvent: [body],
      listContentWebhooks: [path],
      getContentWebhook: [path],
      listContentDeliveries: [excerpt],
      listAllContentDeliveries: [excerpt],
      getContentDelivery: Object.keys(TRACES),
      listContentAuditLog: [path],
    })
  })
}
