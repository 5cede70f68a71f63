import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Page } from '../model/delivery.ts'
import type { Webhook } from '../model/webhook.ts'
import type { CurrentWorkspace } from '../workspace/workspace.tsx'
import { REFRESH_MS } from './overviews.ts'

type Where = Pick<CurrentWorkspace, 'id' | 'service'>

/** All webhooks of the workspace, newest first, a hundred a page. */
export const webhooksQuery = ({ id: ws, service }: Where) =>
  infiniteQueryOptions({
    queryKey: ['webhooks', ws],
    refetchInterval: REFRESH_MS,
    initialPageParam: null as string | null,
    getNextPageParam: (page: Page<Webhook>) => page.nextCursor,
    queryFn: ({ pageParam, signal }) => service.listWebhooks({ cursor: pageParam, signal }),
  })

export const webhookQuery = ({ id: ws, service }: Where, id: string) =>
  queryOptions({
    queryKey: ['webhook', ws, id],
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) => service.getWebhook({ id, signal }),
  })
