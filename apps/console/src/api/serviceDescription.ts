import { queryOptions } from '@tanstack/react-query'
import type { components } from '../../../../packages/client/src/generated/console.ts'
import { consoleApi } from './clients.ts'
import { unwrap } from './send.ts'

/** The part of a service's profile that the console needs. */
export type ServiceDescription = components['schemas']['Service']

/** It changes only when the service is restarted with another profile. @param ws id or slug */
export const serviceQuery = (ws: string) =>
  queryOptions({
    queryKey: ['service', ws],
    staleTime: 300_000,
    queryFn: ({ signal }) =>
      unwrap(consoleApi.GET('/console/v1/workspaces/{ws}/service', { params: { path: { ws } }, signal })),
  })
