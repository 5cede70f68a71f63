import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { paths } from '../../../../packages/client/src/generated/console.ts'
import { summaryEveryMs } from '../model/pageRefresh.ts'
import { consoleApi } from './clients.ts'
import { unwrap } from './send.ts'
import { serverNow } from './serverNow.ts'

/** Refresh interval of visible pages. */
export const REFRESH_MS = 10_000

const ALL = '/console/v1/workspaces/{ws}/webhook-summaries'
const ONE = '/console/v1/workspaces/{ws}/webhooks/{id}/summary'

const OVERVIEW = '/console/v1/workspaces/{ws}/overview'

type Ok<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } }
}
  ? Body
  : never

/** Summary of a webhook for lists. */
export type WebhookSummary = Ok<typeof ALL>['data'][number]
/** Summary of a webhook for its page. */
export type DetailedWebhookSummary = Ok<typeof ONE>
/** Events that a webhook missed while it was disabled or paused. */
export type MissedEvents = NonNullable<DetailedWebhookSummary['missed']>

/** Failing webhooks and pending deliveries of a workspace. */
export const workspaceOverviewQuery = (ws: string) =>
  queryOptions({
    queryKey: ['workspace-overview', ws],
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) => unwrap(consoleApi.GET(OVERVIEW, { params: { path: { ws } }, signal })),
  })

/** Summaries of webhooks. @param ids at most 100 */
export const summariesQuery = (ws: string, ids: readonly string[]) =>
  queryOptions({
    queryKey: ['webhook-summaries', ws, ids],
    enabled: ids.length > 0,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const params = { path: { ws }, query: { ids: ids.join(',') } }
      const { data } = await unwrap(consoleApi.GET(ALL, { params, signal }))
      return new Map(data.map((summary) => [summary.webhook_id, summary]))
    },
  })

export const summaryQuery = (ws: string, id: string) =>
  queryOptions({
    queryKey: ['webhook-summary', ws, id],
    queryFn: ({ signal }) => unwrap(consoleApi.GET(ONE, { params: { path: { ws, id } }, signal })),
    refetchInterval: ({ state }) => summaryEveryMs(state.data, serverNow()),
  })
