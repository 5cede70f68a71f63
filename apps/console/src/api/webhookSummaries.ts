import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { paths } from '../../../../packages/client/src/generated/console.ts'
import { summaryEveryMs } from '../model/pageRefresh.ts'
import { consoleApi } from './clients.ts'
import { unwrap } from './send.ts'
import { serverNow } from './serverNow.ts'

/** How often what stands on a page is read again while it is looked at. */
export const REFRESH_MS = 10_000

const ALL = '/console/v1/workspaces/{ws}/webhook-summaries'
const ONE = '/console/v1/workspaces/{ws}/webhooks/{id}/summary'

const OVERVIEW = '/console/v1/workspaces/{ws}/overview'

type Ok<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } }
}
  ? Body
  : never

/** How one webhook stands, in a list of many. */
export type WebhookSummary = Ok<typeof ALL>['data'][number]
/** The same for its own page, which tells more. */
export type DetailedWebhookSummary = Ok<typeof ONE>
/** What a webhook missed while it was off or paused. */
export type MissedEvents = NonNullable<DetailedWebhookSummary['missed']>

/** How a workspace stands: what fails now, and what waits. */
export const workspaceOverviewQuery = (ws: string) =>
  queryOptions({
    queryKey: ['workspace-overview', ws],
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) => unwrap(consoleApi.GET(OVERVIEW, { params: { path: { ws } }, signal })),
  })

/** How these webhooks stand. @param ids at most 100 */
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
