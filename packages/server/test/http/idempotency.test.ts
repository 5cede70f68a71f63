import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  callAnother,
  callUnderKey,
  effectsIn,
  IDEMPOTENT_CALLS,
  type IdempotentCall,
  OF_OPERATIONAL,
  type Scene,
  setScene,
} from './idempotency.calls.ts'
import { type Answer, startTestService, type TestService } from './service.ts'

const DAY_MS = 86_400_000
/** Needs a pending delivery; `retries.test.ts` has one. */
const OF_PENDING = ['/v1/workspaces/*/webhooks/*/deliveries/*/retry', '/api/v1/webhook-deliveries/*/retry']
let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

interface Described {
  readonly post?: { readonly parameters?: readonly { readonly name: string }[] }
}

/** The relevant parts of an answer. */
const shown = ({ status, text, headers }: Answer) => [status, text, headers.location, headers.etag]

/** Secrets are repeated for a shorter time: see shownOnce.test.ts. */
function withoutSecrets({ status, text, headers }: Answer) {
  const kept = JSON.parse(text, (name, value) => (SECRETS.test(name) ? undefined : value))
  return [status, kept, headers.location, headers.etag]
}
const SECRETS = /^(signing_?secret|key|token|(embed_)?url|secret_?omitted)$/i

async function first(call: IdempotentCall, scene: Scene, key: string): Promise<Answer> {
  const answer = await callUnderKey(service, call, scene, key)
  expect(answer.status).toBeLessThan(300)
  if (call.sends) await service.recorded(1)
  return answer
}

/** Keys are the operator's too, so each test has its own. */
let keys = 0
const newKey = () => `key-${++keys}`

it('every POST whose document has the header is tested here', async () => {
  const described: string[] = []
  for (const name of ['content', 'ads', 'admin', 'console']) {
    const { json } = await service.call({ method: 'GET', url: `/openapi/${name}.json` })
    for (const [path, { post }] of Object.entries<Described>(json.paths)) {
      const takes = post?.parameters?.some((parameter) => /^idempotency-key$/i.test(parameter.name))
      if (takes) described.push(path.replace(/\{\w+\}/g, '*'))
    }
  }
  const called = [
    ...IDEMPOTENT_CALLS.map(({ route }) => route.replace(/:\w+/g, '*')),
    ...OF_PENDING,
    ...OF_OPERATIONAL,
  ]
  expect(called.sort()).toEqual(described.sort())
})

describe.each(IDEMPOTENT_CALLS)('$title, with an Idempotency-Key', (call) => {
  it('is done once, however often it is sent, with the same answer each time', async () => {
    const scene = await setScene(service, call.service)
    const key = newKey()
    const answer = await first(call, scene, key)
    const before = await effectsIn(service, scene)
    for (let i = 0; i < 3; i++) {
      expect(shown(await callUnderKey(service, call, scene, key))).toEqual(shown(answer))
    }
    const body = call.body(scene)
    if (body !== undefined) {
      // The same in JSON.
      const reversed = Object.fromEntries(Object.entries(body).reverse())
      const text = JSON.stringify(reversed, null, 2)
      expect(shown(await callUnderKey(service, call, scene, key, { body: text }))).toEqual(shown(answer))
    }
    expect(await effectsIn(service, scene)).toEqual(before)
  })

  it('is rejected when it differs from the first request', async () => {
    const scene = await setScene(service, call.service)
    const key = newKey()
    const answer = await first(call, scene, key)
    const before = await effectsIn(service, scene)
    const refused = await callAnother(service, call, scene, key)
    expect([refused.status, refused.json.code]).toEqual([422, 'idempotency_key_reused'])
    expect(await effectsIn(service, scene)).toEqual(before)
    expect(shown(await callUnderKey(service, call, scene, key))).toEqual(shown(answer))
  })

  it('is remembered for a day and then forgotten', async () => {
    const scene = await setScene(service, call.service)
    const key = newKey()
    const answer = await first(call, scene, key)
    service.clock.forwardCalendar(DAY_MS - 60_000)
    expect(withoutSecrets(await callUnderKey(service, call, scene, key))).toEqual(withoutSecrets(answer))
    service.clock.forwardCalendar(60_000)
    const later = await callUnderKey(service, call, scene, key)
    expect(withoutSecrets(later)).not.toEqual(withoutSecrets(answer))
    if (call.sends) await service.recorded(1)
  })

  it.each([
    ['empty', ''],
    ['with a space', 'a b'],
    ['too long', 'x'.repeat(256)],
    ['not of ASCII', '\u00e9'],
  ])('is rejected when the key is %s', async (_, key) => {
    const scene = await setScene(service, call.service)
    const before = await effectsIn(service, scene)
    const { status, json } = await callUnderKey(service, call, scene, key)
    expect([status, json.code, json.errors?.[0].pointer]).toEqual([
      422,
      'invalid_request',
      '/idempotency-key',
    ])
    expect(await effectsIn(service, scene)).toEqual(before)
  })
})

describe.each(IDEMPOTENT_CALLS.filter(({ other }) => other === null))(
  '$title, which has no body,',
  (call) => {
    it('is the same request with an Idempotency-Key whatever body is sent, and however deep', async () => {
      const scene = await setScene(service, call.service)
      const key = newKey()
      const answer = await first(call, scene, key)
      const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
      for (const body of [{}, { any: 'thing' }, 'null', deep]) {
        expect(shown(await callUnderKey(service, call, scene, key, { body }))).toEqual(shown(answer))
      }
    })
  },
)
