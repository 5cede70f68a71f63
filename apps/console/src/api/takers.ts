import { queryOptions } from '@tanstack/react-query'
import type { Webhook } from '../model/webhook.ts'
import type { CurrentWorkspace } from '../workspace/workspace.tsx'

/** More than this many pages of a hundred are not read just to say who takes what. */
const MAX_PAGES = 10

/** All webhooks of the workspace, as far as they are looked through. */
export const allWebhooksQuery = ({ id: ws, service }: Pick<CurrentWorkspace, 'id' | 'service'>) =>
  queryOptions({
    queryKey: ['webhooks', ws, 'all'],
    staleTime: 30_000,
    queryFn: async ({ signal }): Promise<readonly Webhook[]> => {
      const found: Webhook[] = []
      let cursor: string | null = null
      for (let page = 0; page < MAX_PAGES; page++) {
        const { items, nextCursor } = await service.listWebhooks({ cursor, signal })
        found.push(...items)
        if (nextCursor === null) break
        cursor = nextCursor
      }
      return found
    },
  })
