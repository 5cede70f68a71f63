import { Type } from 'typebox'
import { callerOf, guard } from '../shared/auth.ts'
import type { DialectRoute } from '../shared/context.ts'
import { searchDeliveries } from '../shared/deliveries.ts'
import { checkTypeQuery } from '../shared/eventTypes.ts'
import { pageOf, searchCursor } from '../shared/pages.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed, reference } from '../shared/schemas.ts'
import { webhookIdOf } from '../shared/webhooks.ts'
import { workspaceParams } from './common.ts'
import { DeliverySchema, deliveryJson } from './delivery.ts'
import { deliveriesQuery, filtersOf } from './filters.ts'

const schema = {
  operationId: 'listAllContentDeliveries',
  tags: ['Deliveries'],
  summary: 'Read the delivery log of the workspace',
  description:
    'Deliveries of all webhooks of the workspace, or of one, with each of their attempts, newest first. They are kept for 30 days, unless the operator chose another time. Filters add up.',
  params: workspaceParams,
  querystring: closed({
    webhook_id: Type.Optional(reference('Only deliveries of this webhook.')),
    ...deliveriesQuery,
  }),
  response: {
    200: pageOf(DeliverySchema, 'DeliveryPage', searchCursor),
    ...problemResponses(...KEY_PROBLEMS, 'invalid_request'),
  },
}

export const listAllDeliveries: DialectRoute = (app, ctx) => {
  app.get(
    '/v1/workspaces/:ws/deliveries',
    { schema, onRequest: guard(ctx, { dialect: 'content', scopes: ['webhooks'], members: 'all' }) },
    async (request) => {
      const caller = callerOf(request)
      const { workspace } = caller
      const { query } = request
      checkTypeQuery(ctx.dialect.catalog, query.event_type, 'event_type')
      const parameter = { name: 'webhook_id', where: 'query string' }
      const webhookId = await webhookIdOf(ctx, workspace, query.webhook_id, parameter)
      const page = await searchDeliveries(ctx, workspace, query, filtersOf(query, webhookId))
      return {
        data: page.deliveries.map((delivery) => deliveryJson(ctx, caller, delivery)),
        next_cursor: page.nextCursor,
      }
    },
  )
}
