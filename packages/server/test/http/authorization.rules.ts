import { CALLERS, type CallerName } from './callers.ts'
import { eventOf, type ServiceName } from './client.ts'
import { TARGET } from './events.ts'
import { billing } from './profiles.ts'

/** The authorization rule of a route. */
type Rule =
  | 'public'
  | 'own'
  | 'member act'
  | 'operator'
  | 'signed in'
  | 'member'
  | 'read'
  | 'audit'
  | 'send'
  /** The same, and operators do it for the customer. */
  | 'assist'
  /** The same, but nothing is sent at once. */
  | 'start'
  | 'change'
  | 'publish'

export interface GuardedRoute {
  /** Method and pattern, as registered. */
  readonly route: string
  readonly service: ServiceName
  readonly rule: Rule
  /** The status for authorized callers. */
  readonly ok: number
  /** The kind of resource that `:id` names. */
  readonly id:
    | 'webhook'
    | 'event'
    | 'delivery'
    | 'replay'
    | 'recovery'
    | 'member'
    | 'key'
    | 'operator'
    | 'adminToken'
    | 'service'
    | 'consumer'
    | null
  /** Of keys. */
  readonly scopes: readonly string[]
  /** See {@link freshBody}. */
  readonly body?: unknown
  readonly query?: string
}

const noCredential = '401 credentials_missing'
const noKey = '401 key_invalid'
const notAdmin = '401 admin_token_invalid'
const notHere = '404 not_found'
const noScope = '403 scope_missing'
const noRole = '403 role_missing'
const notOperator = '403 operators_only'
const ended = '401 session_invalid'
const noKeys = '403 members_only'
const notMaker = '403 not_creator'
const ok = 'ok'

/** Callers with access where operators have it, and the answers for others without a token. */
const OPERATORS: Partial<Record<CallerName, string>> = {
  anonymous: noCredential,
  'the admin token': ok,
  'an admin token that was made': ok,
  'a revoked admin token': '401 admin_token_revoked',
  'an expired admin token': '401 admin_token_expired',
  'the admin token in a browser': ok,
  'an operator in a browser': ok,
  'an owner in a browser': notOperator,
  'a viewer in a browser': notOperator,
  'a browser of another workspace': notOperator,
  'a browser that was signed out': ended,
}

/** Callers with an invalid credential, or one for something else. */
const STRANGERS: Partial<Record<CallerName, string>> = {
  anonymous: noCredential,
  'text that is no key': noKey,
  'an unknown key': noKey,
  'an unknown session': noKey,
  'a revoked key': '401 key_revoked',
  'an expired key': '401 key_expired',
  'a signed-out session': noKey,
  'an expired session': '401 key_expired',
  'the admin token': noKey,
  'a wrong admin token': noKey,
  'an admin token that was made': noKey,
  'a revoked admin token': noKey,
  'an expired admin token': noKey,
  'an unknown admin token': noKey,
  'a key of the other service': notHere,
  'a session of the other service': notHere,
  'a browser of another workspace': notHere,
  'a browser that was signed out': ended,
}

const OWN: readonly CallerName[] = [
  'the creator',
  'another key',
  "an owner's key",
  "an editor's key",
  "a viewer's key",
  'an owner',
  'an editor',
  'a viewer',
  'an owner in a browser',
  'a viewer in a browser',
  'an operator in a browser',
  'the admin token in a browser',
]

/**
 * Answers for callers of the workspace, in the order of {@link OWN}: five keys with all scopes, then three
 * sessions, then four browsers.
 */
const WITHIN: Readonly<Record<Exclude<Rule, 'public' | 'operator'>, readonly string[]>> = {
  //        creator another   owner's   editor's  viewer's  owner   editor  viewer  owner   viewer  operators
  read: [ok, ok, ok, ok, ok, ok, ok, ok, ok, ok, ok, ok],
  audit: [noRole, noRole, ok, noRole, noRole, ok, noRole, noRole, ok, noRole, noRole, noRole],
  send: [ok, ok, ok, ok, ok, ok, noRole, noRole, ok, noRole, noRole, noRole],
  assist: [ok, ok, ok, ok, ok, ok, noRole, noRole, ok, noRole, ok, ok],
  start: [ok, ok, ok, ok, ok, ok, noRole, noRole, ok, noRole, noRole, noRole],
  change: [ok, notMaker, notMaker, notMaker, notMaker, ok, noRole, noRole, ok, noRole, noRole, noRole],
  publish: [ok, ok, ok, ok, ok, noRole, noRole, noRole, noRole, noRole, noRole, noRole],
  member: [noKeys, noKeys, noKeys, noKeys, noKeys, ok, ok, ok, ok, ok, ok, ok],
  own: [noKeys, noKeys, noKeys, noKeys, noKeys, ok, ok, ok, ok, ok, notHere, notHere],
  'member act': [noKeys, noKeys, noKeys, noKeys, noKeys, ok, ok, ok, ok, ok, noKeys, noKeys],
  'signed in': [noKeys, noKeys, noKeys, noKeys, noKeys, ok, ok, ok, ok, ok, ok, ok],
}

/** Routes without a workspace: keys and members of all workspaces get the same. */
const WHEREVER: Partial<Record<CallerName, string>> = {
  'a key of the other service': noKeys,
  'a session of the other service': ok,
  'a key of another workspace': noKeys,
  'a session of another workspace': ok,
  'a browser of another workspace': ok,
}

type Expected = Readonly<Record<CallerName, string>>

/** The answer for each caller on a route. */
export function expectedOn(asked: GuardedRoute): Expected {
  const { rule } = asked
  if (rule === 'public') return forAll(ok)
  if (rule === 'operator') return { ...forAll(notAdmin), ...OPERATORS }
  const within = { ...forAll(''), ...Object.fromEntries(OWN.map((caller, i) => [caller, WITHIN[rule][i]!])) }
  const answers = { ...within, ...STRANGERS, ...foreign(asked, within), ...scopeless(asked, within) }
  return rule === 'signed in' ? { ...answers, ...WHEREVER } : answers
}

function forAll(answer: string): Expected {
  return Object.fromEntries(CALLERS.map((caller) => [caller, answer])) as Expected
}

/** The paths of ads do not name a workspace: without an id in them, callers see and change their own. */
function foreign({ service, id }: GuardedRoute, within: Expected): Partial<Expected> {
  const ownInstead = service === 'ads' && id === null
  return {
    'a key of another workspace': ownInstead ? within['another key'] : notHere,
    'a session of another workspace': ownInstead ? within['an owner'] : notHere,
  }
}

function scopeless({ scopes }: GuardedRoute, within: Expected): Partial<Expected> {
  const without = (scope: string) => (scopes.includes(scope) ? noScope : within["an owner's key"])
  return {
    'a key without webhooks': without('webhooks'),
    'a key without generations:read': without('generations:read'),
    'a key without events:write': without('events:write'),
  }
}

let bodies = 0

/** A unique body: `{n}` in it is another number each time. */
export function freshBody({ body }: GuardedRoute): unknown {
  if (body === undefined) return undefined
  bodies += 1
  return JSON.parse(JSON.stringify(body).replaceAll('{n}', String(bodies)))
}

type More = Partial<Pick<GuardedRoute, 'id' | 'body' | 'query' | 'scopes'>>

const row =
  (service: ServiceName, prefix: string) =>
  (method: string, path: string, rule: Rule, ok: number, more: More = {}): GuardedRoute => ({
    route: `${method} ${prefix}${path}`,
    service,
    rule,
    ok,
    id: null,
    scopes: rule === 'publish' ? ['events:write'] : ['webhooks'],
    ...more,
  })

const root = row('content', '')
const admin = row('content', '/admin/v1')
const console = row('content', '/console/v1')
const content = row('content', '/v1/workspaces/:ws')
const ads = row('ads', '/api/v1')

const webhook = { id: 'webhook' } as const
const delivery = { id: 'delivery' } as const
const consumer = { id: 'consumer' } as const
const contentBody = { url: TARGET, events: ['plan.saved'] }
const adsBody = { url: TARGET, types: ['deal.created.v1'] }

/** The pages of the API documents and of the documentation, whose files are named by their libraries. */
export const PUBLIC_FOLDER = /^GET \/(docs|help|llms\.txt)(\/|$)/

/** Public, with a low rate limit: signInLinks.test.ts tests their answers. */
export const SIGN_IN_ROUTES: readonly GuardedRoute[] = [
  console('POST', '/sign-in-links', 'public', 202, { body: { email: 'unknown@example.com' } }),
  console('POST', '/session', 'public', 200, { body: { token: 'nonsense' } }),
]

/** Of a recovery that finds nothing, so that nothing is sent. */
const LONG_AGO = { since: '2001-01-01T00:00:00Z', until: '2001-01-02T00:00:00Z' }

/** Every other route. A route that is not here has no rule, and the tests fail. */
export const ROUTES: readonly GuardedRoute[] = [
  root('GET', '/healthz', 'public', 200),
  root('GET', '/readyz', 'public', 200),
  root('GET', '/metrics', 'public', 200),
  // Of a webhook whose service has no key pairs.
  root('GET', '/.well-known/webhook-keys/:id', 'public', 404),
  root('GET', '/openapi/:document', 'public', 200),
  root('GET', '/asyncapi.json', 'public', 200),
  root('GET', '/schemas/:file', 'public', 200),
  root('GET', '/schemas/:dialect/:file', 'public', 200),
  root('GET', '/receive/:file', 'public', 200),
  root('GET', '/receive/:dialect/:file', 'public', 200),

  admin('POST', '/workspaces', 'operator', 201, { body: { dialect: 'ads', slug: 'another-{n}', name: 'A' } }),
  admin('GET', '/workspaces', 'operator', 200),
  admin('GET', '/workspaces/:ws', 'operator', 200),
  admin('POST', '/workspaces/:ws/suspend', 'operator', 200),
  admin('POST', '/workspaces/:ws/resume', 'operator', 200),
  admin('DELETE', '/workspaces/:ws', 'operator', 204),
  admin('POST', '/workspaces/:ws/members', 'operator', 201, {
    body: { email: 'new-{n}@example.com', name: 'New', role: 'viewer' },
  }),
  admin('GET', '/workspaces/:ws/members', 'operator', 200),
  admin('GET', '/workspaces/:ws/members/:id', 'operator', 200, { id: 'member' }),
  admin('PATCH', '/workspaces/:ws/members/:id', 'operator', 200, { id: 'member', body: { name: 'Renamed' } }),
  admin('DELETE', '/workspaces/:ws/members/:id', 'operator', 204, { id: 'member' }),
  admin('POST', '/workspaces/:ws/members/:id/sessions', 'operator', 201, { id: 'member', body: {} }),
  admin('DELETE', '/workspaces/:ws/members/:id/sessions', 'operator', 204, { id: 'member' }),
  admin('POST', '/workspaces/:ws/keys', 'operator', 201, { body: { name: 'new', scopes: ['webhooks'] } }),
  admin('GET', '/workspaces/:ws/keys', 'operator', 200),
  admin('GET', '/workspaces/:ws/keys/:id', 'operator', 200, { id: 'key' }),
  admin('DELETE', '/workspaces/:ws/keys/:id', 'operator', 204, { id: 'key' }),
  admin('POST', '/workspaces/:ws/members/:id/portal-links', 'operator', 201, { id: 'member', body: {} }),
  admin('POST', '/sign-in-links', 'operator', 201, { body: { email: 'viewer@example.com' } }),
  admin('GET', '/services', 'operator', 200),
  admin('POST', '/services', 'operator', 201, { body: billing({ name: 'rules-{n}' }) }),
  admin('POST', '/services/check', 'operator', 200, { body: billing() }),
  admin('GET', '/services/:id', 'operator', 200, { id: 'service' }),
  admin('PUT', '/services/:id', 'operator', 200, { id: 'service', body: billing({ name: 'zq-held' }) }),
  admin('DELETE', '/services/:id', 'operator', 204, { id: 'service' }),
  admin('POST', '/operators', 'operator', 201, { body: { email: 'olga-{n}@example.com', name: 'Olga' } }),
  admin('GET', '/operators', 'operator', 200),
  admin('DELETE', '/operators/:id', 'operator', 204, { id: 'operator' }),
  admin('POST', '/admin-tokens', 'operator', 201, { body: { name: 'ci-{n}' } }),
  admin('GET', '/admin-tokens', 'operator', 200),
  admin('DELETE', '/admin-tokens/:id', 'operator', 204, { id: 'adminToken' }),
  // There is one.
  admin('POST', '/operational-webhook', 'operator', 409, { body: { url: TARGET } }),
  admin('GET', '/operational-webhook', 'operator', 200),
  admin('PATCH', '/operational-webhook', 'operator', 200, { body: { events: ['webhook.failing'] } }),
  admin('DELETE', '/operational-webhook', 'operator', 204),
  admin('POST', '/operational-webhook/rotate-secret', 'operator', 200),
  admin('POST', '/operational-webhook/test', 'operator', 202),
  admin('GET', '/operational-webhook/deliveries', 'operator', 200),
  admin('GET', '/audit-log', 'operator', 200),
  admin('GET', '/status', 'operator', 200),
  admin('GET', '/overview', 'operator', 200),
  admin('GET', '/stats', 'operator', 200),
  admin('GET', '/workspace-stats', 'operator', 200),
  admin('GET', '/failing-webhooks', 'operator', 200),
  admin('GET', '/master-keys', 'operator', 200),
  admin('GET', '/outages', 'operator', 200),
  admin('GET', '/nodes', 'operator', 200),
  admin('GET', '/warnings', 'operator', 200),

  console('GET', '/session', 'signed in', 200, { scopes: [] }),
  console('GET', '/workspaces/:ws/overview', 'member', 200, { scopes: [] }),
  console('GET', '/workspaces/:ws/stats', 'member', 200, { scopes: [] }),
  console('GET', '/workspaces/:ws/rules', 'member', 200, { scopes: [] }),
  console('GET', '/workspaces/:ws/service', 'member', 200, { scopes: [] }),
  console('GET', '/workspaces/:ws/webhook-summaries', 'member', 200, { scopes: [] }),
  console('GET', '/workspaces/:ws/webhooks/:id/summary', 'member', 200, { scopes: [], ...webhook }),
  console('GET', '/workspaces/:ws/deliveries/live', 'member', 200, { scopes: [] }),
  console('POST', '/workspaces/:ws/url-checks', 'member act', 200, { scopes: [], body: { url: TARGET } }),
  console('GET', '/workspaces/:ws/event-types', 'member', 200, { scopes: [] }),
  console('GET', '/workspaces/:ws/event-types/:type/samples', 'member', 200, { scopes: [] }),
  console('DELETE', '/session', 'signed in', 204, { scopes: [] }),
  console('DELETE', '/sessions', 'signed in', 204, { scopes: [] }),
  console('GET', '/workspaces/:ws/preferences', 'own', 200, { scopes: [] }),
  console('PATCH', '/workspaces/:ws/preferences', 'member act', 200, {
    scopes: [],
    body: { failing_warnings: false },
  }),

  content('POST', '/events', 'publish', 202, { body: eventOf('content') }),
  content('POST', '/events/batch', 'publish', 202, { body: { events: [eventOf('content')] } }),
  content('GET', '/events', 'read', 200),
  content('GET', '/events/:id', 'read', 200, { id: 'event' }),
  content('POST', '/webhooks', 'send', 201, { body: contentBody, scopes: ['webhooks', 'generations:read'] }),
  content('GET', '/webhooks', 'read', 200),
  content('GET', '/webhooks/sample', 'read', 200, { query: '?event=plan.ready' }),
  content('GET', '/webhooks/:id', 'read', 200, webhook),
  content('PATCH', '/webhooks/:id', 'change', 200, { ...webhook, body: { description: 'changed' } }),
  content('DELETE', '/webhooks/:id', 'change', 204, webhook),
  content('POST', '/webhooks/:id/rotate-secret', 'change', 200, webhook),
  content('POST', '/webhooks/:id/test', 'assist', 202, webhook),
  content('GET', '/deliveries', 'read', 200),
  content('GET', '/webhooks/:id/deliveries', 'read', 200, webhook),
  content('GET', '/webhooks/:id/deliveries/:did', 'read', 200, webhook),
  content('POST', '/webhooks/:id/deliveries/:did/redeliver', 'assist', 202, webhook),
  // The delivery has ended.
  content('POST', '/webhooks/:id/deliveries/:did/retry', 'assist', 409, webhook),
  content('POST', '/webhooks/:id/retry', 'start', 202, webhook),
  content('GET', '/webhooks/:id/retry', 'read', 200, webhook),
  content('POST', '/webhooks/:id/recover', 'start', 202, { ...webhook, body: LONG_AGO }),
  content('GET', '/webhooks/:id/recoveries/:rid', 'read', 200, webhook),
  content('DELETE', '/webhooks/:id/recoveries/:rid', 'start', 200, webhook),
  // The workspace has one.
  content('POST', '/operational-webhook', 'send', 409, {
    body: { url: TARGET },
    scopes: ['webhooks', 'generations:read'],
  }),
  content('GET', '/operational-webhook', 'read', 200),
  content('PATCH', '/operational-webhook', 'change', 200, { body: { events: ['webhook.failing'] } }),
  content('DELETE', '/operational-webhook', 'change', 204),
  content('POST', '/operational-webhook/rotate-secret', 'change', 200),
  content('POST', '/operational-webhook/test', 'send', 202, webhook),
  content('GET', '/operational-webhook/deliveries', 'read', 200),
  content('GET', '/audit-log', 'audit', 200),

  ...[content, ads].flatMap((of) => [
    of('POST', '/consumers', 'start', 201, { body: { name: 'made-{n}' } }),
    of('GET', '/consumers', 'read', 200),
    of('GET', '/consumers/:name', 'read', 200, consumer),
    of('GET', '/consumers/:name/events', 'read', 200, consumer),
    of('GET', '/consumers/:name/stream', 'read', 200, consumer),
    // Its body acknowledges nothing.
    of('POST', '/consumers/:name/ack', 'start', 422, { ...consumer, body: { ack: 'x'.repeat(80) } }),
    of('POST', '/consumers/:name/seek', 'start', 200, { ...consumer, body: { start: 'oldest' } }),
    of('DELETE', '/consumers/:name', 'start', 204, consumer),
  ]),

  ads('POST', '/events', 'publish', 202, { body: eventOf('ads') }),
  ads('POST', '/events/batch', 'publish', 202, { body: { events: [eventOf('ads')] } }),
  ads('GET', '/events', 'read', 200),
  ads('GET', '/events/:id', 'read', 200, { id: 'event' }),
  ads('POST', '/webhooks', 'send', 201, { body: adsBody }),
  ads('GET', '/webhooks', 'read', 200),
  ads('GET', '/webhooks/:id', 'read', 200, webhook),
  ads('PATCH', '/webhooks/:id', 'change', 200, { ...webhook, body: { description: 'changed' } }),
  ads('DELETE', '/webhooks/:id', 'change', 204, webhook),
  ads('POST', '/webhooks/:id/rotate-secret', 'change', 200, webhook),
  ads('GET', '/webhook-deliveries', 'read', 200),
  ads('GET', '/webhook-deliveries/:id', 'read', 200, delivery),
  ads('POST', '/webhook-deliveries/:id/replay', 'assist', 202, delivery),
  // Matches nothing, so that nothing is sent.
  ads('POST', '/webhook-deliveries/replay', 'send', 202, { body: { to: '2001-01-01T00:00:00Z' } }),
  ads('GET', '/webhook-deliveries/replays/:id', 'read', 200, { id: 'replay' }),
  ads('POST', '/webhooks/:id/test', 'assist', 202, webhook),
  ads('POST', '/webhook-deliveries/:id/retry', 'assist', 409, delivery),
  ads('POST', '/webhooks/:id/retry', 'start', 202, webhook),
  ads('GET', '/webhooks/:id/retry', 'read', 200, webhook),
  ads('POST', '/webhooks/:id/recover', 'start', 202, { ...webhook, body: LONG_AGO }),
  ads('GET', '/webhook-deliveries/recoveries/:id', 'read', 200, { id: 'recovery' }),
  ads('DELETE', '/webhook-deliveries/recoveries/:id', 'start', 200, { id: 'recovery' }),
  // The workspace has one.
  ads('POST', '/operational-webhook', 'send', 409, { body: { url: TARGET } }),
  ads('GET', '/operational-webhook', 'read', 200),
  ads('PATCH', '/operational-webhook', 'change', 200, { body: { events: ['webhook.failing'] } }),
  ads('DELETE', '/operational-webhook', 'change', 204),
  ads('POST', '/operational-webhook/rotate-secret', 'change', 200),
  ads('POST', '/operational-webhook/test', 'send', 202, webhook),
  ads('GET', '/operational-webhook/deliveries', 'read', 200),
  ads('GET', '/audit-log', 'audit', 200),
]

/** Routes of operations that neither service has; both answer 404. */
export const OF_OTHER_SERVICES: readonly string[] = [
  'GET /v1/workspaces/:ws/deliveries/replays/:id',
  'POST /api/v1/webhook-deliveries/:id/redeliver',
  'POST /v1/workspaces/:ws/deliveries/replay',
  'POST /v1/workspaces/:ws/webhooks/:id/deliveries/:did/replay',
]
