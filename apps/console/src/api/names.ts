import { queryOptions } from '@tanstack/react-query'
import { allPages } from './allPages.ts'
import { adminApi } from './clients.ts'
import type { Operator } from './operator.ts'
import { unwrap } from './send.ts'

/** An id, and the name of what has it. */
export type Name = readonly [id: string, name: string]

const STALE_MS = 60_000
const PAGE = 100

interface PageJson<Item> {
  readonly data: readonly Item[]
  readonly next_cursor: string | null
}

const all = <Item>(read: (query: { limit: number; cursor?: string }) => Promise<PageJson<Item>>) =>
  allPages(async (cursor) => {
    const page = await read({ limit: PAGE, ...(cursor === null ? {} : { cursor }) })
    return { items: page.data, nextCursor: page.next_cursor }
  })

/** What all members and API keys of a workspace are called, for operators. @param ws its id */
export const namesQuery = (ws: string) =>
  queryOptions({
    queryKey: ['operator', 'names', ws],
    staleTime: STALE_MS,
    queryFn: async ({ signal }): Promise<readonly Name[]> => {
      const path = { ws }
      const [members, keys] = await Promise.all([
        all((query) =>
          unwrap(adminApi.GET('/admin/v1/workspaces/{ws}/members', { params: { path, query }, signal })),
        ),
        all((query) =>
          unwrap(adminApi.GET('/admin/v1/workspaces/{ws}/keys', { params: { path, query }, signal })),
        ),
      ])
      return [...members, ...keys].map(({ id, name }) => [id, name])
    },
  })

/** All who run the service, for operators. */
export const allOperatorsQuery = queryOptions({
  queryKey: ['operator', 'operators', 'all'],
  staleTime: STALE_MS,
  queryFn: ({ signal }): Promise<readonly Operator[]> =>
    all((query) => unwrap(adminApi.GET('/admin/v1/operators', { params: { query }, signal }))),
})
