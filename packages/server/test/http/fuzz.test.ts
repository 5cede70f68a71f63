import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  freshBody,
  ROUTES as GUARDED_ROUTES,
  type GuardedRoute,
  OF_OTHER_SERVICES,
  PUBLIC_FOLDER,
  SIGN_IN_ROUTES,
} from './authorization.rules.ts'
import { type Client, openClient, type ServiceName } from './client.ts'
import { addMember } from './people.ts'
import { billing } from './profiles.ts'
import { ADMIN_TOKEN, type Call, startTestService, type TestService } from './service.ts'

const ROUTES = [...GUARDED_ROUTES, ...SIGN_IN_ROUTES]

let service: TestService
let clients: Readonly<Record<ServiceName, Client>>
/** Real ids by kind, so that junk gets as far as it can. */
let ids: Readonly<Record<ServiceName, Readonly<Record<string, string>>>>
beforeAll(async () => {
  service = await startTestService()
  service.receiver.answer((response) => response.writeHead(503).end())
  clients = { content: await openClient(service, 'content'), ads: await openClient(service, 'ads') }
  ids = { content: await makeThings(clients.content), ads: await makeThings(clients.ads) }
})
afterAll(() => service.stop())

async function makeThings(client: Client) {
  const { id: webhook } = await client.receivingWebhook()
  const event = await client.publish()
  await service.recorded(1)
  const [{ id: delivery }] = await client.deliveries(webhook)
  const member = await addMember(service, client.ws.id, 'owner')
  await service.admin('POST', '/services', billing({ name: 'zq-held' }))
  return { webhook, event, delivery, did: delivery, member, key: client.ws.keyId, service: 'zq-held' }
}

/** Any JSON, with strings that break stores and parsers among its values and names. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    '\0',
    '\ud800',
    '\u202e',
    'constructor',
    'toString',
    'webhook.test',
    'evt_',
    '../..',
    '%00',
    '2026-03-14T09:26:53Z',
  ),
)
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5 },
    text,
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom(1e308, -0, 2 ** 53, 5e-324),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(text, tie('json'), { maxKeys: 4 }),
  ),
}))

/** A valid body with replaced, removed or added members: it gets further than noise does. */
const mutated = (valid: object) =>
  fc
    .tuple(
      fc.dictionary(fc.oneof(fc.constantFrom('id', ...Object.keys(valid)), text), json, { maxKeys: 3 }),
      fc.subarray(Object.keys(valid)),
    )
    .map(([members, dropped]) => {
      const kept = Object.entries(valid).filter(([name]) => !dropped.includes(name))
      return { ...Object.fromEntries(kept), ...members }
    })

const isRead = ({ route }: GuardedRoute) => route.startsWith('GET ')
const isDeletion = ({ route }: GuardedRoute) => route.startsWith('DELETE ')

function keyFor({ route, service: name }: GuardedRoute): string {
  return route.includes('/admin/') ? ADMIN_TOKEN : clients[name].ws.key
}

function partsOf({ route }: GuardedRoute): [method: Call['method'], pattern: string] {
  return route.split(' ') as [Call['method'], string]
}

async function send(call: Call): Promise<void> {
  const { status, text: answer } = await service.call(call)
  if (status >= 500) throw new Error(`${call.method} ${call.url} answered ${status}: ${answer}`)
}

/** The body of a route, with the test's own receiver: deliveries may be sent later. */
function validBody(asked: GuardedRoute): object {
  const body = (freshBody(asked) ?? {}) as object
  return 'url' in body ? { ...body, url: service.receiver.url } : body
}

describe('any input', () => {
  it('is tested for every route', () => {
    const registered = service.routes.filter((route) => !PUBLIC_FOLDER.test(route))
    const asked = [...ROUTES.map(({ route }) => route), ...OF_OTHER_SERVICES]
    expect(asked.sort()).toEqual(registered.sort())
  })

  it.each(ROUTES.filter((route) => !isRead(route) && !isDeletion(route)))(
    'as JSON, $route never fails with a 5xx',
    async (asked) => {
      const [method, pattern] = partsOf(asked)
      const { [asked.id ?? '']: id = '', did = '' } = ids[asked.service]
      const url = pattern
        .replace(':ws', clients[asked.service].ws.slug)
        .replace(':did', did)
        .replace(':id', id)
      const bodies = fc.oneof(json, mutated(validBody(asked)))
      const checks = fc.asyncProperty(bodies, (value) =>
        send({ method, url, key: keyFor(asked), body: JSON.stringify(value) }),
      )
      await fc.assert(checks, { numRuns: 100 })
    },
  )

  const part = fc.oneof(
    fc.string({ unit: 'grapheme' }).map(encodeURIComponent),
    fc.stringMatching(/^(%[0-9a-f]{2}|[a-z0-9_=&%-]){0,30}$/),
  )
  const PARAMETERS = [
    'limit',
    'cursor',
    'after',
    'target',
    'workspace',
    'event',
    'type',
    'status',
    'from',
    'to',
    'webhookId',
  ]
  const query = fc
    .array(fc.tuple(fc.oneof(fc.constantFrom(...PARAMETERS, 'event_type', 'eventType'), part), part), {
      maxLength: 4,
    })
    .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'))

  it.each(ROUTES.filter((route) => isRead(route) || isDeletion(route)))(
    'in the path and the query, $route never fails with a 5xx',
    async (asked) => {
      const [method, pattern] = partsOf(asked)
      // A deletion must not find its target, nor the workspace in its path.
      const ws = isDeletion(asked) ? 'nowhere' : clients[asked.service].ws.slug
      const checks = fc.asyncProperty(part, query, fc.boolean(), (wild, asks, real) => {
        const { [asked.id ?? '']: id = '' } = ids[asked.service]
        const named = real && !isDeletion(asked) ? id : wild
        const path = pattern
          .replace(':ws', ws)
          .replace(/:(did|document|file|dialect)/g, () => wild)
          .replace(':id', () => named)
        return send({ method, url: `${path}?${asks}`, key: keyFor(asked) })
      })
      await fc.assert(checks, { numRuns: 60 })
    },
  )

  it('in meaningful headers, no route ever fails with a 5xx', async () => {
    const HEADERS = [
      'authorization',
      'idempotency-key',
      'if-match',
      'x-request-id',
      'content-type',
      'accept',
      'content-encoding',
      'cookie',
      'origin',
      'sec-fetch-site',
      'posthorn-workspace',
    ]
    const value = fc.oneof(
      fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,300}$/).map((wild) => wild.trim()),
      fc.constantFrom(
        '*',
        '"v1"',
        'W/"v1"',
        '"v999999999999999999999"',
        'Bearer ',
        `Bearer phk_${'A'.repeat(43)}`,
        'text/plain',
        'gzip',
        `posthorn_session=phb_${'A'.repeat(43)}`,
      ),
    )
    const asked = fc.constantFrom(...ROUTES.filter((route) => route.id === 'webhook' && !isDeletion(route)))
    const checks = fc.asyncProperty(asked, fc.constantFrom(...HEADERS), value, (route, header, wild) => {
      const [method, pattern] = partsOf(route)
      const { webhook, did } = ids[route.service]
      const url = pattern
        .replace(':ws', clients[route.service].ws.slug)
        .replace(':did', did!)
        .replace(':id', webhook!)
      return send({
        method,
        url,
        key: keyFor(route),
        body: isRead(route) ? undefined : validBody(route),
        headers: { [header]: wild },
      })
    })
    await fc.assert(checks, { numRuns: 300 })
  })

  it('is never logged as a failure', () => {
    expect(service.logs.filter((line) => line.includes('"error"'))).toEqual([])
  })
})
