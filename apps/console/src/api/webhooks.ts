import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Page } from '../model/delivery.ts'
import type { Webhook } from '../model/webhook.ts'
import type { WebhookSearch } from '../model/webhookSearch.ts'
import type { CurrentWorkspace } from '../workspace/workspace.tsx'
import { allPages } from './allPages.ts'
import { REFRESH_MS } from './webhookSummaries.ts'

type Where = Pick<CurrentWorkspace, 'id' | 'service'>

/** The workspace's webhooks, page by page. */
export const webhooksQuery = ({ id: ws, service }: Where, search: WebhookSearch) =>
  infiniteQueryOptions({
    queryKey: ['webhooks', ws, 'list', search],
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
    initialPageParam: null as string | null,
    getNextPageParam: (page: Page<Webhook>) => page.nextCursor,
    queryFn: ({ pageParam, signal }) => service.listWebhooks({ cursor: pageParam, search, signal }),
  })

/** All webhooks of the workspace, for names and subscriptions. */
export const allWebhooksQuery = ({ id: ws, service }: Where) =>
  queryOptions({
    queryKey: ['webhooks', ws, 'all'],
    staleTime: 30_000,
    queryFn: ({ signal }) => allPages((cursor) => service.listWebhooks({ cursor, signal })),
  })

export const webhookQuery = ({ id: ws, service }: Where, id: string) =>
  queryOptions({
    queryKey: ['webhook', ws, id],
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) => service.getWebhook({ id, signal }),
  })
