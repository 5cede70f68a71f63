import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { webhooksQuery } from '../../api/webhooks.ts'
import type { Webhook } from '../../model/webhook.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'

/** More than these nobody chooses from a list; the others are found by their own pages. */
const MAX_PAGES = 5

/** What the workspace's webhooks are called, for lists that name them. */
export function useWebhookNames(): ReadonlyMap<string, string> {
  const query = useInfiniteQuery({ ...webhooksQuery(useWorkspace()), refetchInterval: false })
  const { data, hasNextPage, isFetching, fetchNextPage } = query
  const goesOn = hasNextPage && !isFetching && (data?.pages.length ?? 0) < MAX_PAGES
  useEffect(() => {
    if (goesOn) void fetchNextPage()
  }, [goesOn, fetchNextPage])
  return useMemo(() => {
    const webhooks = data?.pages.flatMap(({ items }) => items) ?? []
    return new Map(webhooks.map((webhook) => [webhook.id, webhookName(webhook)]))
  }, [data])
}

/** Its description, or where it is. */
export function webhookName({ description, url }: Webhook): string {
  if (description !== '') return description
  return url.replace(/^https?:\/\//, '')
}
