import { createWorkspace } from '../../support/workspaces.ts'
import { decimals } from '../frame/metrics.ts'
import { NOTHING_OPEN } from '../frame/prepared.ts'
import { ratio, ratioMetric } from '../frame/ratio.ts'
import type { Flags, Outcome, Prepared, Scenario } from '../frame/scenario.ts'
import { readSchemas } from '../load/apiSchemas.ts'
import { measureOnStage } from '../measure/measureOnStage.ts'
import { cpuOfRequest } from '../measure/requests.ts'
import { BARE_API, type BareApiListening, type BareApiStart } from '../programs/bareApi.ts'
import type { RepeatedRequest } from '../programs/requester.ts'
import { onStage, type Stage } from '../stage/stage.ts'

/** In this order: the list finds what was created. */
const OPERATIONS = ['create', 'list', 'publish'] as const
type Operation = (typeof OPERATIONS)[number]
type Requests = Readonly<Record<Operation, RepeatedRequest>>

/** The schemas and examples that the service provides for the baseline. */
interface Yardstick extends Prepared {
  readonly requests: Requests
  readonly schemas: Omit<BareApiStart, 'databaseFile'>
}

const POSTHORN = 'posthorn'
const BARE_ROUTE = 'bare route'
/** Creating webhooks at full speed goes beyond the default quotas. */
const SERVICE = {
  POSTHORN_MAX_CHANGES_PER_MINUTE_PER_WORKSPACE: '1000000',
  POSTHORN_MAX_WEBHOOKS_PER_WORKSPACE: '1000000',
}
const EVENT_TYPE = 'campaign.status_changed.v1'
const ENTITY_ID = '01a0385c-c91e-7b42-9d0a-3e6f8c2b7a11'

const JSON_TYPE = { 'content-type': 'application/json' }
const ENDPOINT = {
  url: 'https://hooks.acme-receiver.com/ads',
  types: ['campaign.created.v1', 'report.ready.v1'],
  description: 'The bench',
}
const EVENT = {
  type: EVENT_TYPE,
  entityType: 'campaign',
  entityId: ENTITY_ID,
  payload: { from: 'paused', to: 'active' },
  occurredAt: '2026-03-14T09:26:53.589Z',
}

function requestsOf(
  paths: { webhooks: string; events: string },
  keys: { manage: string; publish: string },
): Requests {
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
  const post = (at: string, key: string, body: object, expectedStatus: number): RepeatedRequest => ({
    method: 'POST',
    path: at,
    headers: { ...JSON_TYPE, ...bearer(key) },
    body: JSON.stringify(body),
    expectedStatus,
  })
  return {
    create: post(paths.webhooks, keys.manage, ENDPOINT, 201),
    list: {
      method: 'GET',
      path: `${paths.webhooks}?limit=20`,
      headers: bearer(keys.manage),
      body: null,
      expectedStatus: 200,
    },
    publish: post(paths.events, keys.publish, EVENT, 202),
  }
}

async function measureAll(
  stage: Stage,
  pid: number,
  origin: string,
  requests: Requests,
  seconds: number,
): Promise<Outcome> {
  const metrics: Record<string, number> = {}
  for (const operation of OPERATIONS) {
    metrics[operation] = await cpuOfRequest(stage, pid, origin, requests[operation], seconds)
  }
  return { metrics, complaints: [] }
}

async function prepareRequests(url: string): Promise<Requests> {
  // No webhook subscribes to these events, so only the publish is measured and no delivery.
  const manager = await createWorkspace(() => url, 'ads', 'bench-manager')
  const publisher = await createWorkspace(() => url, 'ads', 'bench-publisher')
  const paths = { webhooks: '/api/v1/webhooks', events: '/api/v1/events' }
  return requestsOf(paths, { manage: manager.key, publish: publisher.key })
}

async function runBare(stage: Stage, { requests, schemas }: Yardstick, seconds: number): Promise<Outcome> {
  const start: BareApiStart = { databaseFile: stage.file('bare.db'), ...schemas }
  const bare = stage.start<never, BareApiListening>(BARE_API, start)
  const { port } = await bare.next('listening')
  const at = (request: RepeatedRequest, path: string) => ({ ...request, path })
  const same: Requests = {
    create: at(requests.create, '/endpoints'),
    list: at(requests.list, '/endpoints?limit=20'),
    publish: at(requests.publish, '/events'),
  }
  return measureAll(stage, bare.pid, `http://127.0.0.1:${port}`, same, seconds)
}

const ratioOf = (operation: Operation) =>
  ratioMetric(`${operation}, ratio`, ratio([POSTHORN, operation], [BARE_ROUTE, operation]))

const fromOperations = <T>(of: (operation: Operation) => T) =>
  Object.fromEntries(OPERATIONS.map((operation) => [operation, of(operation)]))

export const api: Scenario<Flags, Yardstick> = {
  name: 'api',
  summary:
    'CPU of creating a webhook, listing webhooks and publishing, compared with a bare Fastify route with one SQLite statement',
  flags: {},
  stores: ['sqlite'],
  tls: false,
  seconds: { usual: 8, quick: 2 },
  variants: () => [POSTHORN, BARE_ROUTE],
  metrics: fromOperations((operation) => decimals(`${operation}, CPU µs`, 1)),
  derived: fromOperations(ratioOf),
  headline: 'publish',
  goals: () => [],
  soundness: 'every request got the expected response',

  prepare: (settings) =>
    onStage(settings, async (stage) => {
      const { url } = await stage.startService()
      const requests = await prepareRequests(url)
      return { ...NOTHING_OPEN, requests, schemas: await readSchemas(url, EVENT_TYPE) }
    }),

  round: (settings, yardstick) => (variant) =>
    measureOnStage(settings, async (stage) => {
      if (variant === BARE_ROUTE) return runBare(stage, yardstick, settings.seconds)
      const { pid, url } = await stage.startService(SERVICE)
      return measureAll(stage, pid, url, await prepareRequests(url), settings.seconds)
    }),
}
