import { callerOf } from '../shared/auth.ts'
import { EVENT_LIMIT_BYTES, PARTS_DESCRIPTION } from '../shared/bodies/limits.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import type { DialectRoute } from '../shared/context.ts'
import { PUBLISH_PROBLEMS, problemResponses } from '../shared/problems.ts'
import {
  checkEvent,
  PublishedSchema,
  prepareEvent,
  publishGuard,
  publishPrepared,
} from '../shared/publishing.ts'
import { Mistakes, membersOf } from '../shared/validation.ts'
import { workspaceParams } from './common.ts'
import { ContentEventSchema } from './event.ts'

const schema = {
  operationId: 'publishContentEvent',
  tags: ['Events'],
  summary: 'Publish an event',
  description: `Answers once the event and its deliveries survive a power cut. The request body has at most ${EVENT_LIMIT_BYTES} bytes. ${PARTS_DESCRIPTION}`,
  params: workspaceParams,
  headers: idempotencyHeaders,
  body: ContentEventSchema,
  response: {
    202: PublishedSchema,
    ...problemResponses(...PUBLISH_PROBLEMS),
  },
}

export const publishEvent: DialectRoute = (app, ctx) => {
  app.post(
    '/v1/workspaces/:ws/events',
    {
      schema,
      bodyLimit: EVENT_LIMIT_BYTES,
      attachValidation: true,
      onRequest: publishGuard(ctx),
    },
    async (request, reply) => {
      const { workspace } = callerOf(request)
      const mistakes = new Mistakes(request)
      const checked = checkEvent(ctx, membersOf(request.body), '', mistakes)
      mistakes.throwIfAny()
      const event = prepareEvent(ctx, workspace, membersOf(request.body), checked)
      const [published] = await publishPrepared(ctx, request, [event], () => '')
      reply.code(202)
      return published!
    },
  )
}
