import { type Client, eventOf, openClient, SERVICES, type ServiceName } from './client.ts'
import { addMemberWith, newAddress } from './people.ts'
import { billing } from './profiles.ts'
import { ADMIN_TOKEN, type Answer, type TestService } from './service.ts'

/** A workspace with the resources for the calls: a webhook, a finished delivery of it, a member. */
export interface Scene {
  readonly client: Client
  readonly webhookId: string
  readonly deliveryId: string
  readonly memberId: string
  readonly memberEmail: string
  /** Acknowledges an event of the consumer `crm`. */
  readonly ack: string
  /** The same in another token. */
  readonly otherAck: string
}

/** A POST that accepts an Idempotency-Key. */
export interface IdempotentCall {
  readonly title: string
  readonly service: ServiceName
  /** Its pattern, as registered. */
  readonly route: string
  /** `undefined`: the route has none. */
  readonly body: (scene: Scene) => object | undefined
  /** Changes in the body that make it another request; `null` where there are none. */
  readonly other: object | ((scene: Scene) => object) | null
  /** Whether an attempt follows. */
  readonly sends: boolean
}

/** An ads event has a random entity, so each is created once. */
const EVENTS = { content: eventOf('content'), ads: eventOf('ads') }
const OTHERS = { content: eventOf('content', 'plan.ready'), ads: eventOf('ads', 'deal.created.v1') }

/** Deliveries end failed or dead, so that they can be sent again. */
export async function setScene(service: TestService, name: ServiceName): Promise<Scene> {
  service.receiver.answer((response) => response.writeHead(503).end())
  const client = await openClient(service, name)
  const { id: webhookId } = await client.receivingWebhook()
  await client.publish()
  await service.recorded(1)
  const [{ id: deliveryId }] = await client.deliveries(webhookId)
  const memberEmail = newAddress()
  const memberId = await addMemberWith(service, client.ws.id, 'owner', memberEmail)
  await addMemberWith(service, client.ws.id, 'owner', 'somebody.else@example.com')
  await client.post('/consumers', { name: 'crm', start: 'oldest' })
  await service.settled()
  const { ack } = (await client.get('/consumers/crm/events')).json
  const { ack: otherAck } = (await client.get('/consumers/crm/events')).json
  return { client, webhookId, deliveryId, memberId, memberEmail, ack, otherAck }
}

/** Everything that a call could have changed in the store, and the receiver's requests. */
export async function effectsIn(service: TestService, { client, webhookId }: Scene) {
  const admin = async (path: string) => (await service.admin('GET', `${path}?limit=100`)).json.data
  const workspace = `/workspaces/${client.ws.id}`
  await service.settled()
  return {
    audit: await admin('/audit-log'),
    workspaces: await admin('/workspaces'),
    members: await admin(`${workspace}/members`),
    // A key is marked as used some time after any call, even a rejected one.
    keys: (await admin(`${workspace}/keys`)).map(
      ({ last_used_at: _, ...key }: Record<string, unknown>) => key,
    ),
    operators: await admin('/operators'),
    adminTokens: await admin('/admin-tokens'),
    services: await admin('/services'),
    webhooks: (await client.get('/webhooks')).json.data,
    consumers: (await client.get('/consumers')).json.data,
    events: (await client.get('/events?limit=100')).json.data,
    deliveries: await client.deliveries(webhookId),
    received: service.receiver.requests.length,
  }
}

export function callUnderKey(
  service: TestService,
  call: IdempotentCall,
  scene: Scene,
  idempotencyKey: string,
  changes: { readonly body?: unknown } = {},
): Promise<Answer> {
  const url = pathOf(call, scene)
  const key = url.startsWith('/admin/') ? ADMIN_TOKEN : scene.client.ws.key
  const headers = { 'idempotency-key': idempotencyKey }
  return service.call({ method: 'POST', url, key, body: call.body(scene), headers, ...changes })
}

/** Another request with the same key: with another body or, where the route has none, of another route. */
export function callAnother(
  service: TestService,
  call: IdempotentCall,
  scene: Scene,
  idempotencyKey: string,
): Promise<Answer> {
  const other = typeof call.other === 'function' ? call.other(scene) : call.other
  if (other !== null) {
    return callUnderKey(service, call, scene, idempotencyKey, {
      body: { ...call.body(scene), ...other },
    })
  }
  const headers = { 'idempotency-key': idempotencyKey }
  return scene.client.post('/webhooks', scene.client.webhookBody(), { headers })
}

function pathOf({ route }: IdempotentCall, { client, webhookId, deliveryId, memberId }: Scene): string {
  const id = route.includes('/members/') ? memberId : route.includes('/:id/replay') ? deliveryId : webhookId
  return route
    .replace(':ws', client.ws.slug)
    .replace(':did', deliveryId)
    .replace(':id', id)
    .replace(':name', 'crm')
}

const post = (
  service: ServiceName,
  title: string,
  route: string,
  { body = () => undefined, other = null, sends = false }: Partial<IdempotentCall> = {},
): IdempotentCall => ({ title: `${title} (${service})`, service, route, body, other, sends })

const ofBoth = SERVICES.flatMap((name) => {
  const root = name === 'content' ? '/v1/workspaces/:ws' : '/api/v1'
  return [
    post(name, 'create a webhook', `${root}/webhooks`, {
      body: ({ client }) => client.webhookBody({ description: 'a label' }),
      other: { description: 'another label' },
    }),
    post(name, 'rotate the secret', `${root}/webhooks/:id/rotate-secret`),
    post(name, 'retry all', `${root}/webhooks/:id/retry`),
    post(name, 'recover', `${root}/webhooks/:id/recover`, {
      body: () => ({ since: '2001-01-01T00:00:00Z', until: '2001-01-02T00:00:00Z' }),
      other: { until: '2001-01-03T00:00:00Z' },
    }),
    post(name, 'create a consumer', `${root}/consumers`, {
      body: () => ({ name: 'made' }),
      other: { start: 'oldest' },
    }),
    post(name, 'move a consumer', `${root}/consumers/:name/seek`, {
      body: () => ({ start: 'oldest' }),
      other: { start: 'now' },
    }),
    post(name, 'acknowledge', `${root}/consumers/:name/ack`, {
      body: ({ ack }) => ({ ack }),
      other: ({ otherAck }) => ({ ack: otherAck }),
    }),
    post(name, 'publish an event', `${root}/events`, {
      body: () => EVENTS[name],
      other: OTHERS[name],
      sends: true,
    }),
    post(name, 'publish a batch', `${root}/events/batch`, {
      body: () => ({ events: [EVENTS[name], OTHERS[name]] }),
      other: { events: [EVENTS[name]] },
      sends: true,
    }),
  ]
})

/** Every POST that accepts an Idempotency-Key. */
export const IDEMPOTENT_CALLS: readonly IdempotentCall[] = [
  ...ofBoth,
  post('content', 'send a test', '/v1/workspaces/:ws/webhooks/:id/test', {
    body: () => ({}),
    other: { type: EVENTS.content.type },
    sends: true,
  }),
  post('ads', 'send a test', '/api/v1/webhooks/:id/test', {
    body: () => ({}),
    other: { type: EVENTS.ads.type },
    sends: true,
  }),
  post('content', 'redeliver', '/v1/workspaces/:ws/webhooks/:id/deliveries/:did/redeliver', { sends: true }),
  post('ads', 'replay', '/api/v1/webhook-deliveries/:id/replay', { sends: true }),
  post('ads', 'replay many', '/api/v1/webhook-deliveries/replay', {
    body: ({ webhookId }) => ({ webhookId }),
    other: { eventType: 'deal.created.v1' },
    sends: true,
  }),
  post('content', 'create a workspace', '/admin/v1/workspaces', {
    body: ({ client }) => ({ dialect: 'ads', slug: `${client.ws.slug}-b`, name: 'Another' }),
    other: { name: 'Yet another' },
  }),
  post('content', 'add a member', '/admin/v1/workspaces/:ws/members', {
    body: () => ({ email: 'new@example.com', name: 'New', role: 'viewer' }),
    other: { role: 'owner' },
  }),
  post('content', 'make a key', '/admin/v1/workspaces/:ws/keys', {
    body: () => ({ name: 'new', scopes: ['webhooks'], expires_at: '2090-01-01T00:00:00Z' }),
    other: { scopes: ['webhooks', 'events:write'] },
  }),
  post('content', 'sign a member in', '/admin/v1/workspaces/:ws/members/:id/sessions', {
    body: () => ({ minutes: 5 }),
    other: { minutes: 6 },
  }),
  post('content', 'make a portal link', '/admin/v1/workspaces/:ws/members/:id/portal-links', {
    body: () => ({ minutes: 5 }),
    other: { minutes: 6 },
  }),
  post('content', 'make a sign-in link', '/admin/v1/sign-in-links', {
    body: ({ memberEmail }) => ({ email: memberEmail }),
    other: { email: 'somebody.else@example.com' },
  }),
  post('content', 'add an operator', '/admin/v1/operators', {
    body: ({ memberEmail }) => ({ email: memberEmail, name: 'Olga' }),
    other: { name: 'Oleg' },
  }),
  post('content', 'make an admin token', '/admin/v1/admin-tokens', {
    body: () => ({ name: 'ci', expires_at: '2090-01-01T00:00:00Z' }),
    other: { name: 'cd' },
  }),
  post('content', 'add a service', '/admin/v1/services', {
    body: ({ client }) => billing({ name: `of-${client.ws.slug}` }),
    other: { title: 'Bills' },
  }),
]

/** Needs an operational webhook; `operational.test.ts` has one. */
export const OF_OPERATIONAL = ['/v1/workspaces/*', '/api/v1', '/admin/v1'].flatMap((root) =>
  ['', '/rotate-secret', '/test'].map((call) => `${root}/operational-webhook${call}`),
)
