import { callerOf, guard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { KEY_PROBLEMS, notFound, problemResponses } from '../shared/problems.ts'
import { ReplaySchema, replayJson, replayParams } from './replay.ts'

const schema = {
  operationId: 'getAdsReplay',
  tags: ['Deliveries'],
  summary: 'Read how far a replay is',
  description: 'Ask again until its status is `finished`; replays are kept as long as deliveries.',
  params: replayParams,
  response: { 200: ReplaySchema, ...problemResponses(...KEY_PROBLEMS) },
}

export const getReplay: DialectRoute = (app, ctx) => {
  app.get(
    '/api/v1/webhook-deliveries/replays/:id',
    { schema, onRequest: guard(ctx, { dialect: 'ads', scopes: ['webhooks'], members: 'all' }) },
    async (request) => {
      const { workspace } = callerOf(request)
      const { replay: format } = ctx.dialect.ids
      const bytes = format.parse(request.params.id)
      const replay =
        bytes === null
          ? null
          : await ctx.storage.log.getReplay({ workspaceId: workspace.id, publicId: format.format(bytes) })
      if (replay === null) throw notFound('replay')
      return replayJson(replay)
    },
  )
}
