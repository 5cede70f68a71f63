import { Type } from 'typebox'
import { callerOf, guard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { searchDeliveries } from '../shared/deliveries.ts'
import { checkTypeQuery } from '../shared/eventTypes.ts'
import { pageOf, pageQuery, searchCursor } from '../shared/pages.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed, sinceQuery, untilQuery } from '../shared/schemas.ts'
import { findWebhook } from '../shared/webhooks.ts'
import { deliveryJson } from './present.ts'
import { DeliverySchema, deliveryStatus, webhookParams } from './schemas.ts'

const schema = {
  operationId: 'listContentDeliveries',
  tags: ['Deliveries'],
  summary: 'Read the delivery log',
  description:
    'Deliveries of the webhook with each of their attempts, newest first. They are kept for 30 days, unless the operator chose another time. Filters add up.',
  params: webhookParams,
  querystring: closed({
    status: Type.Optional(deliveryStatus),
    event_type: Type.Optional(Type.String({ description: 'Only deliveries of events of this type.' })),
    from: sinceQuery,
    to: untilQuery,
    ...pageQuery,
  }),
  response: {
    200: pageOf(DeliverySchema, 'DeliveryPage', searchCursor),
    ...problemResponses(...KEY_PROBLEMS, 'invalid_request'),
  },
}

export const listDeliveries: DialectRoute = (app, ctx) => {
  app.get(
    '/v1/workspaces/:ws/webhooks/:id/deliveries',
    { schema, onRequest: guard(ctx, { dialect: 'content', scopes: ['webhooks'], members: 'all' }) },
    async (request) => {
      const { workspace } = callerOf(request)
      const { id: webhookId } = await findWebhook(ctx, workspace, request.params.id)
      const { status, event_type: eventType } = request.query
      checkTypeQuery(ctx.dialect.catalog, eventType, 'event_type')
      const filter = { webhookId, status, eventType }
      const page = await searchDeliveries(ctx, workspace, request.query, filter)
      return {
        data: page.deliveries.map((delivery) => deliveryJson(ctx, workspace, delivery)),
        next_cursor: page.nextCursor,
      }
    },
  )
}
