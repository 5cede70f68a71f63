import { Type } from 'typebox'
import { callerOf, guard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { eventIdQuery, eventTypeQuery, searchDeliveries, statusCodeQuery } from '../shared/deliveries.ts'
import { checkTypeQuery } from '../shared/eventTypes.ts'
import { adsPageOf, pageQuery, searchCursor } from '../shared/pages.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed, reference, sinceQuery, untilQuery } from '../shared/schemas.ts'
import { webhookIdOf } from '../shared/webhooks.ts'
import { DeliverySchema, deliveryJson, deliveryStatus } from './delivery.ts'

const schema = {
  operationId: 'listAdsDeliveries',
  tags: ['Deliveries'],
  summary: 'Read the delivery log',
  description:
    'Deliveries to all endpoints of the workspace, or to one, with each of their attempts, newest first. They are kept for 30 days, unless the operator chose another time. Filters add up.',
  querystring: closed({
    status: Type.Optional(deliveryStatus),
    webhookId: Type.Optional(reference('Only deliveries to this endpoint.')),
    eventType: eventTypeQuery,
    statusCode: statusCodeQuery,
    eventId: eventIdQuery,
    from: sinceQuery,
    to: untilQuery,
    ...pageQuery,
  }),
  response: {
    200: adsPageOf(DeliverySchema, 'EndpointDeliveryPage', searchCursor),
    ...problemResponses(...KEY_PROBLEMS, 'invalid_request'),
  },
}

export const listDeliveries: DialectRoute = (app, ctx) => {
  app.get(
    '/api/v1/webhook-deliveries',
    { schema, onRequest: guard(ctx, { dialect: 'ads', scopes: ['webhooks'], members: 'all' }) },
    async (request) => {
      const caller = callerOf(request)
      const { workspace } = caller
      const { query } = request
      checkTypeQuery(ctx.dialect.catalog, query.eventType, 'eventType')
      const parameter = { name: 'webhookId', where: 'query string' }
      const webhookId = await webhookIdOf(ctx, workspace, query.webhookId, parameter)
      const page = await searchDeliveries(ctx, workspace, query, { ...query, webhookId })
      return {
        data: page.deliveries.map((delivery) => deliveryJson(ctx, caller, delivery)),
        nextCursor: page.nextCursor,
      }
    },
  )
}
