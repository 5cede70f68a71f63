import { callerOf, guard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { findEvent } from '../shared/feed.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { EventSchema, eventJson, eventParams } from './event.ts'

const schema = {
  operationId: 'getAdsEvent',
  tags: ['Events'],
  summary: 'Read an event',
  description: 'As webhooks receive it. Needs the scope `webhooks`.',
  params: eventParams,
  response: { 200: EventSchema, ...problemResponses(...KEY_PROBLEMS) },
}

export const getEvent: DialectRoute = (app, ctx) => {
  app.get(
    '/api/v1/events/:id',
    {
      schema,
      onRequest: guard(ctx, {
        dialect: 'ads',
        scopes: ['webhooks'],
        members: 'all',
      }),
    },
    async (request) => {
      const { workspace } = callerOf(request)
      return eventJson(await findEvent(ctx, workspace, request.params.id))
    },
  )
}
