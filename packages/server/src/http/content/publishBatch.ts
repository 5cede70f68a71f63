import { Type } from 'typebox'
import { BATCH_BODY_LIMIT_BYTES, EVENT_LIMIT_BYTES, PARTS_DESCRIPTION } from '../shared/bodies/limits.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import type { DialectRoute } from '../shared/context.ts'
import { PUBLISH_PROBLEMS, problemResponses } from '../shared/problems.ts'
import {
  MAX_BATCH_EVENTS,
  PublishedBatchSchema,
  prepareBatch,
  publishGuard,
  publishPrepared,
  refuseEndlessBatch,
} from '../shared/publishing.ts'
import { closed } from '../shared/schemas.ts'
import { bodyUnchecked } from '../shared/validation.ts'
import { workspaceParams } from './common.ts'
import { ContentEventSchema } from './event.ts'

const schema = {
  operationId: 'publishContentEvents',
  tags: ['Events'],
  summary: 'Publish up to 1,000 events',
  description: `Accepted or refused as a whole. The request body has at most ${BATCH_BODY_LIMIT_BYTES} bytes, and each event in it at most ${EVENT_LIMIT_BYTES}. ${PARTS_DESCRIPTION}`,
  params: workspaceParams,
  headers: idempotencyHeaders,
  body: closed({ events: Type.Array(ContentEventSchema, { minItems: 1, maxItems: MAX_BATCH_EVENTS }) }),
  response: {
    202: PublishedBatchSchema,
    ...problemResponses(...PUBLISH_PROBLEMS),
  },
}

export const publishBatch: DialectRoute = (app, ctx) => {
  app.post(
    '/v1/workspaces/:ws/events/batch',
    {
      schema,
      bodyLimit: BATCH_BODY_LIMIT_BYTES,
      attachValidation: true,
      validatorCompiler: bodyUnchecked,
      preValidation: refuseEndlessBatch,
      onRequest: publishGuard(ctx),
    },
    async (request, reply) => {
      const events = await prepareBatch({ ctx, request, schema: ContentEventSchema })
      const published = await publishPrepared(ctx, request, events, (position) => `/events/${position}`)
      reply.code(202)
      return { events: [...published] }
    },
  )
}
