import { Type } from 'typebox'
import type { Dialect } from '../../core/dialect.ts'
import { FORMS } from '../../core/textForms.ts'
import { dialectOf } from '../../engine/manage/publicIds.ts'
import { ANY_MEMBER, callerOf, guard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { ANY_MEMBER_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'
import { workspaceParams } from './params.ts'
import { SummarySchema, summariesOf } from './webhookSummary.ts'

const MAX_WEBHOOKS = 100

const schema = {
  operationId: 'listWebhookSummaries',
  tags: ['Overviews'],
  summary: 'List the state of webhooks',
  description:
    'The newest delivery, the attempts of the last 24 hours and the pending deliveries of many webhooks. Newest webhooks first.',
  params: workspaceParams,
  querystring: closed({
    ids: Type.Optional(
      Type.String({
        pattern: FORMS.listOfIds.pattern,
        description: `Comma-separated ids of webhooks, at most ${MAX_WEBHOOKS}; unknown ones are omitted. Default: the newest ${MAX_WEBHOOKS} of the workspace.`,
      }),
    ),
  }),
  response: {
    200: closed({ data: Type.Array(SummarySchema) }, { title: 'WebhookSummaries' }),
    ...problemResponses(...ANY_MEMBER_PROBLEMS, 'invalid_request'),
  },
}

export const listWebhookSummaries: Route = (app, ctx) => {
  app.get(
    '/console/v1/workspaces/:ws/webhook-summaries',
    { schema, onRequest: guard(ctx, ANY_MEMBER) },
    async (request) => {
      const { workspace } = callerOf(request)
      const { id: workspaceId } = workspace
      const { ids } = request.query
      const webhooks =
        ids === undefined
          ? await ctx.storage.webhooks.listWebhooks({ workspaceId, limit: MAX_WEBHOOKS, before: null })
          : await ctx.storage.webhooks.findWebhooks({
              workspaceId,
              publicIds: publicIdsIn(dialectOf(ctx.dialects, workspace.dialect), ids),
            })
      return { data: await summariesOf(ctx, workspace, webhooks) }
    },
  )
}

/** The stored form of the ids in a list; invalid ids are left out. */
function publicIdsIn({ ids: { webhook: format } }: Dialect, list: string): string[] {
  return list.split(',').flatMap((id) => {
    const bytes = format.parse(id)
    return bytes === null ? [] : [format.format(bytes)]
  })
}
