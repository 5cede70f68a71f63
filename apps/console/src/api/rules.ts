import { queryOptions } from '@tanstack/react-query'
import type { components } from '../../../../packages/client/src/generated/console.ts'
import { consoleApi } from './clients.ts'
import { unwrap } from './send.ts'

/** The limits and times that the service goes by in a workspace, as whoever runs it chose them. */
export type Rules = components['schemas']['Rules']

/** They change when the service is started anew, which pages that stay open may find out later. @param ws id or slug */
export const rulesQuery = (ws: string) =>
  queryOptions({
    queryKey: ['rules', ws],
    staleTime: 300_000,
    queryFn: ({ signal }) =>
      unwrap(consoleApi.GET('/console/v1/workspaces/{ws}/rules', { params: { path: { ws } }, signal })),
  })
