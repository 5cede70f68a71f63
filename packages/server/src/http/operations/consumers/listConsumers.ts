import type { Consumer } from '../../../storage/rows.ts'
import { pageOf, pageQuery, readPage } from '../../shared/pages.ts'
import { KEY_PROBLEMS, problemResponses } from '../../shared/problems.ts'
import { closed } from '../../shared/schemas.ts'
import { operation } from '../operation.ts'
import { scopesText, serviceTitle } from '../words.ts'
import { consumerStateJson, consumerStateSchema, LAG_IN_LIST } from './consumer.ts'

export const listConsumers = operation<{ query: { readonly limit?: number; readonly cursor?: string } }>({
  name: 'listConsumers',
  method: 'GET',
  path: () => '/consumers',
  access: ({ access }) => ({ scopes: access.read, members: 'all' }),
  schema: ({ profile }) => ({
    operationId: `list${serviceTitle(profile)}Consumers`,
    tags: ['Consumers'],
    summary: 'List consumers',
    description: `All consumers of the workspace, newest first. The lag counts at most ${LAG_IN_LIST} events of each. Needs ${scopesText(profile.access.read)}.`,
    querystring: closed(pageQuery),
    response: {
      200: pageOf(consumerStateSchema, 'ConsumerPage'),
      ...problemResponses(...KEY_PROBLEMS, 'invalid_request'),
    },
  }),
  async run({ ctx, caller: { workspace }, query }) {
    const scope = { list: 'consumers' as const, ownerId: workspace.id }
    const { rows, nextCursor } = await readPage<Consumer>(ctx, scope, query ?? {}, (page) =>
      ctx.storage.consumers.listConsumers({ workspaceId: workspace.id, ...page }),
    )
    const lags = await ctx.storage.consumers.consumerLags({ consumers: rows, most: LAG_IN_LIST })
    return {
      data: rows.map((consumer, place) => consumerStateJson(consumer, lags[place]!)),
      next_cursor: nextCursor,
    }
  },
})
