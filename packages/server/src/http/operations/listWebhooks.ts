import { pageOf, pageQuery, readPage } from '../shared/pages.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'
import { operation } from './operation.ts'
import { webhookJson, webhookSchema } from './webhook.ts'
import { receiverWords, serviceTitle } from './words.ts'

export const listWebhooks = operation<{ query: { readonly limit?: number; readonly cursor?: string } }>({
  name: 'listWebhooks',
  method: 'GET',
  path: () => '/webhooks',
  access: ({ access }) => ({ scopes: access.read, members: 'all' }),
  schema(service) {
    const { manyFull, many, title, created } = receiverWords(service.profile)
    return {
      operationId: `list${serviceTitle(service.profile)}Webhooks`,
      tags: ['Webhooks'],
      summary: `List ${manyFull}`,
      description: `All ${many} of the workspace, newest first, whoever ${created} them.`,
      querystring: closed(pageQuery),
      response: {
        200: pageOf(webhookSchema(service), `${title}Page`),
        ...problemResponses(...KEY_PROBLEMS, 'invalid_request'),
      },
    }
  },
  async run({ ctx, caller, query }) {
    const { workspace } = caller
    const scope = { list: 'webhooks' as const, ownerId: workspace.id }
    const page = await readPage(ctx, scope, query, (range) =>
      ctx.storage.webhooks.listWebhooks({ workspaceId: workspace.id, ...range }),
    )
    return {
      data: page.rows.map((webhook) => webhookJson(ctx, caller, webhook)),
      next_cursor: page.nextCursor,
    }
  },
})
