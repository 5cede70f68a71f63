import { Type } from 'typebox'
import { callerOf, guard } from '../shared/auth.ts'
import { changing, idempotencyHeaders } from '../shared/changes.ts'
import type { DialectRoute } from '../shared/context.ts'
import { readSpan } from '../shared/deliveries.ts'
import { eventTypeMistake } from '../shared/eventTypes.ts'
import { CREATE_PROBLEMS, invalidRequest, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { quotaProblem } from '../shared/quotas.ts'
import { closed, eventTypeName, reference, sinceQuery, untilQuery } from '../shared/schemas.ts'
import { webhookIdOf } from '../shared/webhooks.ts'
import { ReplaySchema, replayJson } from './replay.ts'

const MAX_REPLAYED = 10_000

const replayLocation = {
  type: 'string',
  format: 'uri-reference',
  description: 'Where the progress of the replay can be read.',
}

const schema = {
  operationId: 'replayAdsDeliveries',
  tags: ['Deliveries'],
  summary: 'Replay many dead deliveries',
  description: `Makes the dead deliveries that match pending again, endpoint by endpoint and of each the oldest first, at most 10,000 at a time, each with all attempts of a new delivery; a body without filters means all. Answers at once: \`GET /api/v1/webhook-deliveries/replays/{id}\` tells how far it is. Only what was dead when it was asked for is replayed, each delivery once, so that asking again is safe. Ask first with \`dryRun\` to learn how many match.`,
  headers: idempotencyHeaders,
  body: closed({
    webhookId: Type.Optional(reference('Only deliveries to this endpoint.')),
    eventType: Type.Optional(eventTypeName),
    from: sinceQuery,
    to: untilQuery,
    dryRun: Type.Optional(Type.Boolean({ description: 'True: only count what matches.' })),
  }),
  response: {
    200: closed(
      {
        total: Type.Integer({
          description: 'How many deliveries would be replayed; at least so many when there may be more.',
        }),
        hasMore: Type.Boolean({
          description: 'Whether more may match: than are replayed at a time, or than a count looks at.',
        }),
      },
      { title: 'ReplayPreview', description: 'The answer to a dry run.' },
    ),
    202: { ...ReplaySchema, headers: { Location: replayLocation } },
    ...problemResponses(...KEY_PROBLEMS, ...CREATE_PROBLEMS, 'role_missing', 'quota_exceeded'),
  },
}

export const createReplay: DialectRoute = (app, ctx) => {
  app.post(
    '/api/v1/webhook-deliveries/replay',
    { schema, onRequest: guard(ctx, { dialect: 'ads', scopes: ['webhooks'], members: 'owners' }) },
    async (request, reply) => {
      const { workspace } = callerOf(request)
      const { eventType = null, dryRun = false } = request.body
      const mistake = eventType === null ? null : eventTypeMistake(ctx.dialect.catalog, eventType)
      if (mistake !== null) throw invalidRequest([{ pointer: '/eventType', message: mistake }])
      const span = readSpan(request.body, 'request body')
      const webhookId = await webhookIdOf(ctx, workspace, request.body.webhookId, {
        name: 'webhookId',
        where: 'request body',
      })
      const filter = { webhookId, eventType, ...span }
      if (dryRun) {
        const now = ctx.clock.now()
        const matching = { workspaceId: workspace.id, ...filter, max: MAX_REPLAYED, now }
        const { count, more } = await ctx.storage.log.countReplayable(matching)
        return { total: count, hasMore: more }
      }
      const result = await changing(ctx, request, (by) =>
        ctx.engine.startReplay(workspace, filter, MAX_REPLAYED, by),
      )
      if (result.outcome === 'quota_exceeded') throw quotaProblem(result)
      const { replay } = result
      reply.code(202).header('location', `/api/v1/webhook-deliveries/replays/${replay.publicId}`)
      return replayJson(replay)
    },
  )
}
