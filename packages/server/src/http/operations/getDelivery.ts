import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { webhookOrNull } from '../shared/webhooks.ts'
import {
  deliveryOf,
  deliveryParams,
  deliveryWithRequestsJson,
  deliveryWithRequestsSchema,
} from './delivery.ts'
import { deliveryPath } from './layout.ts'
import { operation } from './operation.ts'
import { serviceTitle } from './words.ts'

export const getDelivery = operation({
  name: 'getDelivery',
  method: 'GET',
  path: (layout) => deliveryPath(layout),
  access: ({ access }) => ({ scopes: access.read, members: 'all' }),
  schema: (service) => ({
    operationId: `get${serviceTitle(service.profile)}Delivery`,
    tags: ['Deliveries'],
    summary: 'Read a delivery',
    description: "With each attempt, its request and the receiver's response.",
    params: deliveryParams(service),
    response: { 200: deliveryWithRequestsSchema(service), ...problemResponses(...KEY_PROBLEMS) },
  }),
  async run({ ctx, caller, params }) {
    const { workspace } = caller
    const delivery = await deliveryOf(ctx, caller, params)
    const [requests, webhook] = await Promise.all([
      ctx.engine.sentRequests(workspace, delivery),
      // Only to know whether the caller may see its URL.
      caller.visibility.contents ? null : webhookOrNull(ctx, workspace, delivery.webhookPublicId),
    ])
    return deliveryWithRequestsJson(ctx, caller, delivery, {
      requests,
      createdBy: webhook?.createdBy ?? null,
    })
  },
})
