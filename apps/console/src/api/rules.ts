import { queryOptions } from '@tanstack/react-query'
import type { components } from '../../../../packages/client/src/generated/console.ts'
import { consoleApi } from './clients.ts'
import { unwrap } from './send.ts'

/** Limits and timeouts of a workspace, as set by the operator. */
export type Rules = components['schemas']['Rules']

/** They change only when the service is restarted. @param ws id or slug */
export const rulesQuery = (ws: string) =>
  queryOptions({
    queryKey: ['rules', ws],
    staleTime: 300_000,
    queryFn: ({ signal }) =>
      unwrap(consoleApi.GET('/console/v1/workspaces/{ws}/rules', { params: { path: { ws } }, signal })),
  })
