import { ADMIN_TOKEN } from '../../support/posthorn.ts'
import type { ReadCall } from '../measure/readCalls.ts'
import type { ListFacts, LogFacts } from './logFacts.ts'

/** What is measured in a log. */
export type LogCall =
  /** These calls in turn, repeatedly. */
  | { readonly kind: 'calls'; readonly calls: readonly ReadCall[] }
  /** A list that is followed to its end. */
  | { readonly kind: 'walk'; readonly call: ReadCall }
  /** A count of the queue that begins with the service, and a stop in the midst of another. */
  | { readonly kind: 'queue' }

type Named = readonly [name: string, of: (facts: LogFacts) => LogCall]

/** Rows of a page, as the console requests them. */
const LIMIT = 50

type Filter = Readonly<Record<string, string>>

function listed({ path, token, words }: ListFacts, filter: Filter): ReadCall {
  const query = Object.entries(filter).map(
    ([name, value]) => `&${words[name] ?? name}=${encodeURIComponent(value)}`,
  )
  return { path: `${path}?limit=${LIMIT}${query.join('')}`, token }
}

/** The list of a service with each of its filters. */
function lists(service: 'content' | 'ads', bad: 'failed' | 'dead'): Named[] {
  const page = (name: string, filter: (facts: ListFacts) => Filter): Named => [
    `${service}: ${name}`,
    (facts) => ({ kind: 'calls', calls: [listed(facts[service], filter(facts[service]))] }),
  ]
  const walk = (name: string, filter: (facts: ListFacts) => Filter): Named => [
    `${service}: ${name}, to the end`,
    (facts) => ({ kind: 'walk', call: listed(facts[service], filter(facts[service])) }),
  ]
  return [
    page('newest', () => ({})),
    page('5,000 rows further', ({ deepCursor }) => ({ cursor: deepCursor })),
    page('before the middle', ({ middle }) => ({ to: middle })),
    page('within a second', ({ middle, secondLater }) => ({ from: middle, to: secondLater })),
    page('of one webhook', ({ webhookId }) => ({ webhook: webhookId })),
    page('of one event', ({ eventId }) => ({ event: eventId })),
    page('delivered', () => ({ status: 'delivered' })),
    page(bad, () => ({ status: bad })),
    page('200', () => ({ code: '200' })),
    page('404', () => ({ code: '404' })),
    page('5xx', () => ({ code: '5xx' })),
    page('common type', ({ commonType }) => ({ type: commonType })),
    page(`${bad}, 404, one webhook, common type, before the middle`, (facts) => ({
      status: bad,
      code: '404',
      webhook: facts.webhookId,
      type: facts.commonType,
      to: facts.middle,
    })),
    walk('pending', () => ({ status: 'pending' })),
    walk('canceled', () => ({ status: 'canceled' })),
    walk('204 (rare)', () => ({ code: '204' })),
    walk('202 (none)', () => ({ code: '202' })),
    walk('418 (none)', () => ({ code: '418' })),
    walk('rare type', ({ rareType }) => ({ type: rareType })),
    walk('type of no event', ({ unusedType }) => ({ type: unusedType })),
    walk('rare type, one webhook', ({ rareType, webhookId }) => ({ type: rareType, webhook: webhookId })),
    walk(`${bad}, rare type`, ({ rareType }) => ({ status: bad, type: rareType })),
    [`${service}: one delivery`, (facts) => ({ kind: 'calls', calls: facts[service].deliveries })],
  ]
}

const asked = (name: string, of: (facts: LogFacts) => ReadCall): Named => [
  name,
  (facts) => ({ kind: 'calls', calls: [of(facts)] }),
]

const preview = (name: string, filter: (facts: ListFacts) => object): Named =>
  asked(`ads: replay of ${name}, previewed`, ({ ads }) => ({
    path: '/api/v1/webhook-deliveries/replay',
    token: ads.token,
    body: { dryRun: true, ...filter(ads) },
  }))

const inConsole = (name: string, path: (webhookId: string) => string): Named =>
  asked(`console: ${name}`, ({ content, consolePath, sessionToken }) => ({
    path: consolePath + path(content.webhookId),
    token: sessionToken,
  }))

const byOperator = (name: string, path: string): Named =>
  asked(`operator: ${name}`, () => ({ path: `/admin/v1/${path}`, token: ADMIN_TOKEN }))

const CALLS: readonly Named[] = [
  ...lists('content', 'failed'),
  ...lists('ads', 'dead'),
  preview('all dead', () => ({})),
  preview('one type', ({ commonType }) => ({ eventType: commonType })),
  inConsole('summaries of all webhooks', () => '/webhook-summaries'),
  inConsole('summary of a webhook', (id) => `/webhooks/${id}/summary`),
  inConsole('stats of 24 hours', () => '/stats?period=24h'),
  inConsole('stats of 30 days', () => '/stats?period=30d'),
  inConsole('stats of a webhook, 30 days', (id) => `/stats?period=30d&webhook_id=${id}`),
  byOperator('stats of 24 hours', 'stats?period=24h'),
  byOperator('stats of 30 days', 'stats?period=30d'),
  byOperator('busiest workspaces', 'workspace-stats?period=30d'),
  byOperator('failing webhooks', 'failing-webhooks?period=30d'),
  ['operator: queue, recounted', () => ({ kind: 'queue' })],
]

/** In the order of the report. */
export const LOG_CALLS: readonly string[] = CALLS.map(([name]) => name)

/** @returns what is measured, by {@link LOG_CALLS} */
export const logCallsOf = (facts: LogFacts): ReadonlyMap<string, LogCall> =>
  new Map(CALLS.map(([name, of]) => [name, of(facts)]))
