import { queryOptions } from '@tanstack/react-query'
import { consoleApi } from './clients.ts'
import { unwrap } from './send.ts'

/** Checks a URL by the rules for creating a webhook. */
export const urlCheckQuery = (ws: string, url: string) =>
  queryOptions({
    queryKey: ['url-check', ws, url],
    enabled: url !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
    queryFn: ({ signal }) =>
      unwrap(
        consoleApi.POST('/console/v1/workspaces/{ws}/url-checks', {
          params: { path: { ws } },
          body: { url },
          signal,
        }),
      ),
  })
