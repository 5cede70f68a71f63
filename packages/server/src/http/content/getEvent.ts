import { callerOf, guard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { findEvent } from '../shared/feed.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { EventSchema, eventJson, eventParams } from './event.ts'

const schema = {
  operationId: 'getContentEvent',
  tags: ['Events'],
  summary: 'Read an event',
  description:
    'As webhooks receive it, with its id. Needs the scope `webhooks`; `data` is shown to keys that have `generations:read` too.',
  params: eventParams,
  response: { 200: EventSchema, ...problemResponses(...KEY_PROBLEMS) },
}

export const getEvent: DialectRoute = (app, ctx) => {
  app.get(
    '/v1/workspaces/:ws/events/:id',
    {
      schema,
      onRequest: guard(ctx, {
        dialect: 'content',
        scopes: ['webhooks'],
        members: 'all',
      }),
    },
    async (request) => {
      const caller = callerOf(request)
      return eventJson(ctx, caller, await findEvent(ctx, caller.workspace, request.params.id))
    },
  )
}
