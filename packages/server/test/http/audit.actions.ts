import { type Client, openClient, type ServiceName } from './client.ts'
import { type SignedIn, signedIn } from './people.ts'
import { ADMIN_TOKEN, type Answer, type TestService } from './service.ts'

/** A workspace with one of everything that can be changed. */
export interface Audited {
  readonly client: Client
  readonly owner: SignedIn
  readonly webhookId: string
  readonly memberId: string
  readonly keyId: string
}

export interface Action {
  readonly action: string
  readonly service: ServiceName
  readonly by: 'operator' | 'key' | 'member'
  readonly call: {
    readonly method: 'POST' | 'PATCH' | 'DELETE'
    readonly path: string
    readonly body?: object
  }
  /** Id of the changed resource. */
  readonly target: (audited: Audited, answer: Answer) => string
  readonly details: (audited: Audited, answer: Answer) => object
  /** If it is not the first word of the action. */
  readonly targetType?: 'webhook'
}

export async function setUp(service: TestService, name: ServiceName): Promise<Audited> {
  const client = await openClient(service, name)
  const owner = await signedIn(service, client.ws.id, 'owner')
  const { memberId } = await signedIn(service, client.ws.id, 'viewer')
  const { id: keyId } = await service.key(client.ws.id)
  const { id: webhookId } = await client.webhook({}, { key: client.ws.key })
  await client.post('/consumers', { name: 'audited' })
  return { client, owner, webhookId, memberId, keyId }
}

export function act(
  service: TestService,
  { by, call }: Action,
  { client, owner, webhookId, memberId, keyId }: Audited,
  requestId: string,
): Promise<Answer> {
  const path = call.path
    .replace(':ws', client.ws.id)
    .replace(':webhook', webhookId)
    .replace(':member', memberId)
    .replace(':key', keyId)
    .replace(':consumer', 'audited')
  const url = by === 'operator' ? `/admin/v1${path}` : client.root + path
  const key = { operator: ADMIN_TOKEN, key: client.ws.key, member: owner.token }[by]
  return service.call({ ...call, url, key, headers: { 'x-request-id': requestId } })
}

/** The actor as the content service and the operator see it. */
export function actorOf(by: Action['by'], { client, owner }: Audited) {
  if (by === 'operator') return { type: 'operator', id: null, session_id: null }
  if (by === 'key') return { type: 'key', id: client.ws.keyId, session_id: null }
  return { type: 'member', id: owner.memberId, session_id: owner.sessionId }
}

const nothing = () => ({})
const ofWorkspace = ({ client }: Audited) => client.ws.id
const ofMember = ({ memberId }: Audited) => memberId
const ofWebhook = ({ webhookId }: Audited) => webhookId
const made = (_: Audited, { json }: Answer) => json.id as string

const operator = (
  action: string,
  method: Action['call']['method'],
  path: string,
  target: Action['target'],
  { body, details = nothing }: { body?: object; details?: Action['details'] } = {},
): Action => ({
  action,
  service: 'content',
  by: 'operator',
  call: { method, path, ...(body === undefined ? {} : { body }) },
  target,
  details,
})

/** Every logged action, as done by the operator and by both services' keys and owners. */
export const ACTIONS: readonly Action[] = [
  operator('workspace.suspended', 'POST', '/workspaces/:ws/suspend', ofWorkspace),
  operator('workspace.deleted', 'DELETE', '/workspaces/:ws', ofWorkspace),
  operator('member.created', 'POST', '/workspaces/:ws/members', made, {
    body: { email: 'secret.address@example.com', name: 'Secret Name', role: 'editor' },
    details: () => ({ role: 'editor' }),
  }),
  operator('member.updated', 'PATCH', '/workspaces/:ws/members/:member', ofMember, {
    body: { name: 'Secret Name', role: 'owner' },
    details: () => ({ members: ['name', 'role'], role: 'owner' }),
  }),
  operator('member.deleted', 'DELETE', '/workspaces/:ws/members/:member', ofMember),
  operator('member.signed_out', 'DELETE', '/workspaces/:ws/members/:member/sessions', ofMember),
  operator('session.created', 'POST', '/workspaces/:ws/members/:member/sessions', made, {
    body: {},
    details: ({ memberId }) => ({ member: memberId }),
  }),
  operator('member.portal_link_created', 'POST', '/workspaces/:ws/members/:member/portal-links', ofMember, {
    body: {},
  }),
  operator('key.created', 'POST', '/workspaces/:ws/keys', made, {
    body: { name: 'ci', scopes: ['webhooks'] },
    details: () => ({ name: 'ci', scopes: ['webhooks'] }),
  }),
  operator('key.revoked', 'DELETE', '/workspaces/:ws/keys/:key', ({ keyId }) => keyId),
  ...(['content', 'ads'] as const).flatMap((service) =>
    (['key', 'member'] as const).flatMap((by): Action[] => [
      {
        action: 'webhook.created',
        service,
        by,
        call: {
          method: 'POST',
          path: '/webhooks',
          body: {
            url: 'https://hooks.example.com/in-the-url?token=in-the-url',
            description: 'in-the-description',
            [service === 'content' ? 'events' : 'types']: [
              service === 'content' ? 'plan.saved' : 'deal.created.v1',
            ],
          },
        },
        target: made,
        details: nothing,
      },
      {
        action: 'webhook.updated',
        service,
        by,
        call: {
          method: 'PATCH',
          path: '/webhooks/:webhook',
          body: { url: 'https://hooks.example.com/in-the-url', description: 'in-the-description' },
        },
        target: ofWebhook,
        details: () => ({ members: ['url', 'description'] }),
      },
      {
        action: 'webhook.secret_rotated',
        service,
        by,
        call: { method: 'POST', path: '/webhooks/:webhook/rotate-secret' },
        target: ofWebhook,
        details: nothing,
      },
      {
        action: 'webhook.deleted',
        service,
        by,
        call: { method: 'DELETE', path: '/webhooks/:webhook' },
        target: ofWebhook,
        details: nothing,
      },
    ]),
  ),
  ...(['content', 'ads'] as const).flatMap((service): Action[] => [
    {
      action: 'consumer.created',
      service,
      by: 'key',
      call: { method: 'POST', path: '/consumers', body: { name: 'new' } },
      target: () => 'new',
      details: nothing,
    },
    {
      action: 'consumer.moved',
      service,
      by: 'member',
      call: { method: 'POST', path: '/consumers/:consumer/seek', body: { start: 'oldest' } },
      target: () => 'audited',
      details: () => ({ start: 'oldest' }),
    },
    {
      action: 'consumer.deleted',
      service,
      by: 'key',
      call: { method: 'DELETE', path: '/consumers/:consumer' },
      target: () => 'audited',
      details: nothing,
    },
  ]),
  {
    action: 'webhook.retried',
    service: 'ads',
    by: 'key',
    call: { method: 'POST', path: '/webhooks/:webhook/retry' },
    target: ofWebhook,
    details: nothing,
  },
  {
    action: 'webhook.updated',
    service: 'content',
    by: 'member',
    call: { method: 'PATCH', path: '/webhooks/:webhook', body: { enabled: false } },
    target: ofWebhook,
    details: () => ({ members: ['enabled'], enabled: false }),
  },
  {
    action: 'replay.created',
    service: 'ads',
    by: 'key',
    call: { method: 'POST', path: '/webhook-deliveries/replay', body: {} },
    target: made,
    details: () => ({ deliveries: 0 }),
  },
  {
    action: 'recovery.created',
    service: 'content',
    by: 'member',
    call: {
      method: 'POST',
      path: '/webhooks/:webhook/recover',
      body: { since: '2001-01-01T00:00:00Z' },
    },
    target: ofWebhook,
    targetType: 'webhook',
    details: (_, answer) => ({ deliveries: 0, recovery: answer.json.id }),
  },
]
