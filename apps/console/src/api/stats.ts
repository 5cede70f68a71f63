import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Period } from '../model/periods.ts'
import type { Stats, StatsScope } from '../model/stats.ts'
import { adminApi, consoleApi } from './clients.ts'
import { unwrap } from './send.ts'

/** Refresh interval of the metrics of a period. */
const EVERY_MS: Readonly<Record<Period, number>> = {
  '1h': 15_000,
  '24h': 60_000,
  '7d': 300_000,
  '30d': 300_000,
}

/** Metrics of a period up to now, refreshed while they are visible. */
export const statsQuery = (scope: StatsScope, period: Period) =>
  queryOptions({
    queryKey: ['stats', 'ws' in scope ? scope.ws : null, scope, period],
    refetchInterval: EVERY_MS[period],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }): Promise<Stats> => {
      if (scope.of === 'everything') {
        return unwrap(adminApi.GET('/admin/v1/stats', { params: { query: { period } }, signal }))
      }
      const query = scope.of === 'webhook' ? { period, webhook_id: scope.webhookId } : { period }
      return unwrap(
        consoleApi.GET('/console/v1/workspaces/{ws}/stats', {
          params: { path: { ws: scope.ws }, query },
          signal,
        }),
      )
    },
  })
