import { queryOptions } from '@tanstack/react-query'
import type { components } from '../../../../packages/client/src/generated/console.ts'
import { consoleApi } from './clients.ts'
import { unwrap } from './send.ts'

const ALL = '/console/v1/workspaces/{ws}/event-types'
const SAMPLES = '/console/v1/workspaces/{ws}/event-types/{type}/samples'

export type EventType = components['schemas']['CatalogEntry']

/** The catalog of the workspace's service. It changes only with the service's profile. */
export const eventTypesQuery = (ws: string) =>
  queryOptions({
    queryKey: ['event-types', ws],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) =>
      (await unwrap(consoleApi.GET(ALL, { params: { path: { ws } }, signal }))).data,
  })

/** The workspace's latest events of a type, or an example if there are none. */
export const samplesQuery = (ws: string, type: string) =>
  queryOptions({
    queryKey: ['event-samples', ws, type],
    staleTime: 60_000,
    queryFn: ({ signal }) => unwrap(consoleApi.GET(SAMPLES, { params: { path: { ws, type } }, signal })),
  })
