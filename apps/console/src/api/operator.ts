import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type {
  BusyWorkspace,
  FailingWebhook,
  NodeState,
  OperatorWarning,
  Outage,
  Overview,
  Queue,
} from '../model/health.ts'
import type { Period } from '../model/periods.ts'
import { camelKeys } from './camelKeys.ts'
import { adminApi } from './clients.ts'
import { unwrap } from './send.ts'
import { stateOf } from './webhookJson.ts'

const NODES_EVERY_MS = 5_000
const RANKS_EVERY_MS = 30_000
const PAGE = 50

export interface Operator {
  readonly id: string
  readonly email: string
  readonly name: string
  /** Whether claims of the identity provider added it. */
  readonly from_provider: boolean
  /** ISO 8601. */
  readonly created_at: string
}

interface OperatorPage {
  readonly data: readonly Operator[]
  readonly next_cursor: string | null
}

/** Nodes, and the current queue. */
export const nodesQuery = queryOptions({
  queryKey: ['operator', 'nodes'],
  refetchInterval: NODES_EVERY_MS,
  queryFn: ({ signal }): Promise<{ readonly data: readonly NodeState[]; readonly queue: Queue }> =>
    unwrap(adminApi.GET('/admin/v1/nodes', { signal })),
})

/** Warnings for operators, from the node that responds. Oldest first. */
export const warningsQuery = queryOptions({
  queryKey: ['operator', 'warnings'],
  refetchInterval: RANKS_EVERY_MS,
  queryFn: async ({ signal }): Promise<readonly OperatorWarning[]> =>
    (await unwrap(adminApi.GET('/admin/v1/warnings', { signal }))).data,
})

/** Periods in which no node could send. Newest first. */
export const outagesQuery = queryOptions({
  queryKey: ['operator', 'outages'],
  refetchInterval: RANKS_EVERY_MS,
  queryFn: async ({ signal }): Promise<readonly Outage[]> =>
    (await unwrap(adminApi.GET('/admin/v1/outages', { signal }))).data,
})

/** Current state of the whole service, at most a few seconds old. */
export const overviewQuery = queryOptions({
  queryKey: ['operator', 'overview'],
  refetchInterval: NODES_EVERY_MS,
  queryFn: ({ signal }): Promise<Overview> => unwrap(adminApi.GET('/admin/v1/overview', { signal })),
})

/** Webhooks that are failing now, longest first. */
export const failingNowQuery = (period: Period, limit: number) =>
  queryOptions({
    queryKey: ['operator', 'failing-now', period, limit],
    refetchInterval: NODES_EVERY_MS,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => readFailing({ period, limit, now: true }, signal),
  })

async function readFailing(
  query: { readonly period: Period; readonly limit: number; readonly now?: boolean },
  signal: AbortSignal,
): Promise<readonly FailingWebhook[]> {
  const { data } = await unwrap(adminApi.GET('/admin/v1/failing-webhooks', { params: { query }, signal }))
  return data.map((json) => ({ ...json, state: stateOf(camelKeys(json)) }))
}

/** Webhooks with the most failed attempts first. */
export const failingWebhooksQuery = (period: Period, limit: number) =>
  queryOptions({
    queryKey: ['operator', 'failing', period, limit],
    refetchInterval: RANKS_EVERY_MS,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => readFailing({ period, limit }, signal),
  })

/** Busiest workspaces first. */
export const busyWorkspacesQuery = (period: Period, limit: number) =>
  queryOptions({
    queryKey: ['operator', 'busy', period, limit],
    refetchInterval: RANKS_EVERY_MS,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<readonly BusyWorkspace[]> => {
      const params = { query: { period, limit } }
      return (await unwrap(adminApi.GET('/admin/v1/workspace-stats', { params, signal }))).data
    },
  })

/** Workspaces, newest first. */
export const workspacesQuery = infiniteQueryOptions({
  queryKey: ['operator', 'workspaces'],
  initialPageParam: null as string | null,
  getNextPageParam: (page: { readonly next_cursor: string | null }) => page.next_cursor,
  queryFn: ({ pageParam: cursor, signal }) => {
    const query = { limit: PAGE, ...(cursor === null ? {} : { cursor }) }
    return unwrap(adminApi.GET('/admin/v1/workspaces', { params: { query }, signal }))
  },
})

/** Suspends a workspace, which pauses all of its webhooks, or resumes it. */
export const setSuspended = (ws: string, suspended: boolean) => {
  const params = { path: { ws } }
  return unwrap(
    suspended
      ? adminApi.POST('/admin/v1/workspaces/{ws}/suspend', { params })
      : adminApi.POST('/admin/v1/workspaces/{ws}/resume', { params }),
  )
}

/** Operators, newest first. */
export const operatorsQuery = infiniteQueryOptions({
  queryKey: ['operator', 'operators'],
  initialPageParam: null as string | null,
  getNextPageParam: (page: OperatorPage) => page.next_cursor,
  queryFn: ({ pageParam: cursor, signal }): Promise<OperatorPage> => {
    const query = { limit: PAGE, ...(cursor === null ? {} : { cursor }) }
    return unwrap(adminApi.GET('/admin/v1/operators', { params: { query }, signal }))
  },
})

export const addOperator = (input: {
  readonly email: string
  readonly name: string
  readonly idempotencyKey: string
}): Promise<Operator> => {
  const { email, name, idempotencyKey } = input
  return unwrap(
    adminApi.POST('/admin/v1/operators', {
      params: { header: { 'idempotency-key': idempotencyKey } },
      body: { email, name },
    }),
  )
}

export const removeOperator = (id: string) =>
  unwrap(adminApi.DELETE('/admin/v1/operators/{id}', { params: { path: { id } } }))
