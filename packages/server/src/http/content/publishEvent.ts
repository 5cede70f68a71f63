import { callerOf, guard } from '../shared/auth.ts'
import { EVENT_LIMIT_BYTES, PARTS_DESCRIPTION } from '../shared/bodies/limits.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import type { DialectRoute } from '../shared/context.ts'
import { CREATE_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { checkEvent, PublishedSchema, publishPrepared } from '../shared/publishing.ts'
import { Mistakes, membersOf } from '../shared/validation.ts'
import { ContentEventSchema, contentMembers, prepareContentEvent } from './event.ts'
import { workspaceParams } from './schemas.ts'

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
    ...problemResponses(
      ...KEY_PROBLEMS,
      ...CREATE_PROBLEMS,
      'role_missing',
      'event_id_conflict',
      'quota_exceeded',
    ),
  },
}

export const publishEvent: DialectRoute = (app, ctx) => {
  app.post(
    '/v1/workspaces/:ws/events',
    {
      schema,
      bodyLimit: EVENT_LIMIT_BYTES,
      attachValidation: true,
      onRequest: guard(ctx, { dialect: 'content', scopes: ['events:write'], members: 'none' }),
    },
    async (request, reply) => {
      const { workspace } = callerOf(request)
      const mistakes = new Mistakes(request)
      const checked = checkEvent(ctx, membersOf(request.body), contentMembers, '', mistakes)
      mistakes.throwIfAny()
      const event = prepareContentEvent(workspace, request.body, checked)
      const [published] = await publishPrepared(ctx, request, [event], () => '')
      reply.code(202)
      return published!
    },
  )
}
