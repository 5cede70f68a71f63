import { callerOf, guard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { searchDeliveries } from '../shared/deliveries.ts'
import { checkTypeQuery } from '../shared/eventTypes.ts'
import { pageOf, searchCursor } from '../shared/pages.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'
import { findWebhook } from '../shared/webhooks.ts'
import { DeliverySchema, deliveryJson } from './delivery.ts'
import { deliveriesQuery, filtersOf } from './filters.ts'
import { webhookParams } from './webhook.ts'

const schema = {
  operationId: 'listContentDeliveries',
  tags: ['Deliveries'],
  summary: 'Read the delivery log of a webhook',
  description:
    'Deliveries of the webhook with each of their attempts, newest first. They are kept for 30 days, unless the operator chose another time. Filters add up.',
  params: webhookParams,
  querystring: closed(deliveriesQuery),
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
      const caller = callerOf(request)
      const { workspace } = caller
      const { id: webhookId } = await findWebhook(ctx, workspace, request.params.id)
      const { query } = request
      checkTypeQuery(ctx.dialect.catalog, query.event_type, 'event_type')
      const page = await searchDeliveries(ctx, workspace, query, filtersOf(query, webhookId))
      return {
        data: page.deliveries.map((delivery) => deliveryJson(ctx, caller, delivery)),
        next_cursor: page.nextCursor,
      }
    },
  )
}
