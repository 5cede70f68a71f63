import { Type } from 'typebox'
import { searchDeliveries } from '../shared/deliveries.ts'
import { pageOf, searchCursor } from '../shared/pages.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed, reference } from '../shared/schemas.ts'
import { reachJson, reachSchema } from '../shared/search.ts'
import { webhookIdOf } from '../shared/webhooks.ts'
import { deliveryJson, deliverySchema } from './delivery.ts'
import { type DeliveriesQuery, deliveriesQuery, filtersOf } from './filters.ts'
import { LAYOUTS } from './layout.ts'
import { operation } from './operation.ts'
import { receiverWords, serviceTitle } from './words.ts'

export const listDeliveries = operation<{ query: DeliveriesQuery }>({
  name: 'listDeliveries',
  method: 'GET',
  path: (layout) => LAYOUTS[layout].log,
  access: ({ access }) => ({ scopes: access.read, members: 'all' }),
  schema(service) {
    const { profile } = service
    const { many, one, deliveries: of, deliveryTitle } = receiverWords(profile)
    const hasOthers = profile.paths === 'workspace'
    const webhook = { webhook_id: Type.Optional(reference(`Only deliveries ${of} this ${one}.`)) }
    return {
      operationId: `list${hasOthers ? 'All' : ''}${serviceTitle(profile)}Deliveries`,
      tags: ['Deliveries'],
      summary: `Read the delivery log${hasOthers ? ' of the workspace' : ''}`,
      description: `Deliveries ${of} all ${many} of the workspace, or ${of} one, with each of their attempts, newest first. They are kept for 30 days, unless the operator set another time. All filters must match.`,
      querystring: closed(deliveriesQuery(service, hasOthers ? { front: webhook } : { after: webhook })),
      response: {
        200: pageOf(deliverySchema(service), `${deliveryTitle}Page`, searchCursor, {
          indexed_until: reachSchema,
        }),
        ...problemResponses(...KEY_PROBLEMS, 'invalid_request'),
      },
    }
  },
  async run({ ctx, caller, query }) {
    const { workspace } = caller
    const parameter = { name: ctx.member('webhook_id'), where: 'query string' }
    const webhookId = await webhookIdOf(ctx, workspace, query.webhook_id, parameter)
    const page = await searchDeliveries(ctx, caller, query, filtersOf(ctx, query, webhookId))
    return {
      data: page.deliveries.map((delivery) => deliveryJson(ctx, caller, delivery)),
      next_cursor: page.nextCursor,
      indexed_until: reachJson(page.reachesUntil),
    }
  },
})
