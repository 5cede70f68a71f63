import { queryOptions } from '@tanstack/react-query'
import type { components } from '../../../../packages/client/src/generated/admin.ts'
import { adminApi } from './clients.ts'
import { unwrap } from './send.ts'

export type Key = components['schemas']['Key']
export type Workspace = components['schemas']['Workspace']

/** Largest page size. */
const MANY = 100
const STALE_MS = 60_000

/** A workspace, for operators. @param ws its id or slug */
export const workspaceQuery = (ws: string) =>
  queryOptions({
    queryKey: ['operator', 'provisioned', ws],
    staleTime: STALE_MS,
    queryFn: ({ signal }) =>
      unwrap(adminApi.GET('/admin/v1/workspaces/{ws}', { params: { path: { ws } }, signal })),
  })

/** The newest members of a workspace, for operators. */
export const membersQuery = (ws: string) =>
  queryOptions({
    queryKey: ['operator', 'members', ws],
    staleTime: STALE_MS,
    queryFn: ({ signal }) =>
      unwrap(
        adminApi.GET('/admin/v1/workspaces/{ws}/members', {
          params: { path: { ws }, query: { limit: MANY } },
          signal,
        }),
      ),
  })

/** The newest API keys of a workspace, without the keys themselves; for operators. */
export const keysQuery = (ws: string) =>
  queryOptions({
    queryKey: ['operator', 'keys', ws],
    staleTime: STALE_MS,
    queryFn: ({ signal }) =>
      unwrap(
        adminApi.GET('/admin/v1/workspaces/{ws}/keys', {
          params: { path: { ws }, query: { limit: MANY } },
          signal,
        }),
      ),
  })
