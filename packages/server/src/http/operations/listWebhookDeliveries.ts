import { searchDeliveries } from '../shared/deliveries.ts'
import { pageOf, searchCursor } from '../shared/pages.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'
import { reachJson, reachSchema } from '../shared/search.ts'
import { findWebhook } from '../shared/webhooks.ts'
import { deliveryJson, deliverySchema } from './delivery.ts'
import { type DeliveriesQuery, deliveriesQuery, filtersOf } from './filters.ts'
import { operation } from './operation.ts'
import { webhookParams } from './webhook.ts'
import { receiverWords, serviceTitle } from './words.ts'

export const listWebhookDeliveries = operation<{ query: DeliveriesQuery }>({
  name: 'listWebhookDeliveries',
  method: 'GET',
  path: (layout) => (layout === 'workspace' ? '/webhooks/:id/deliveries' : null),
  access: ({ access }) => ({ scopes: access.read, members: 'all' }),
  schema(service) {
    const { a, one, deliveries: of, deliveryTitle } = receiverWords(service.profile)
    return {
      operationId: `list${serviceTitle(service.profile)}Deliveries`,
      tags: ['Deliveries'],
      summary: `Read the delivery log of ${a}`,
      description: `Deliveries ${of} the ${one} with each of their attempts, newest first. They are kept for 30 days, unless the operator set another time. All filters must match.`,
      params: webhookParams(service),
      querystring: closed(deliveriesQuery(service)),
      response: {
        200: pageOf(deliverySchema(service), `${deliveryTitle}Page`, searchCursor, {
          indexed_until: reachSchema,
        }),
        ...problemResponses(...KEY_PROBLEMS, 'invalid_request'),
      },
    }
  },
  async run({ ctx, caller, params, query }) {
    const { workspace } = caller
    const { id: webhookId } = await findWebhook(ctx, workspace, params.id!)
    const page = await searchDeliveries(ctx, caller, query, filtersOf(ctx, query, webhookId))
    return {
      data: page.deliveries.map((delivery) => deliveryJson(ctx, caller, delivery)),
      next_cursor: page.nextCursor,
      indexed_until: reachJson(page.reachesUntil),
    }
  },
})
