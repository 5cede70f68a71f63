import type { Profile } from '../../profiles/profile.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import { sendManually } from '../shared/deliveries.ts'
import { CREATE_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { deliveryJson, deliveryOf, deliveryParams, deliverySchema } from './delivery.ts'
import { deliveryPath } from './layout.ts'
import { operation } from './operation.ts'
import { manualLimit, rateLimitedProblem } from './texts.ts'
import { serviceTitle } from './words.ts'

function attemptsText({ headers, operations }: Profile): string {
  const header = Object.entries(headers).find(([, template]) => template === '{id}')?.[0]
  const same = header === undefined ? 'the same bytes' : `the same \`${header}\` and the same bytes`
  return operations.redeliver?.attempts === 'schedule'
    ? `Makes it pending again, due now, with ${same} and all attempts of a new delivery.`
    : `Makes one more attempt, with ${same}.`
}

export const redeliver = operation({
  name: 'redeliver',
  method: 'POST',
  path: (layout) => `${deliveryPath(layout)}/redeliver`,
  isIn: ({ operations }) => operations.redeliver !== null,
  access: ({ operations }) => ({ scopes: operations.redeliver?.scopes ?? [], members: 'owners' }),
  schema(service) {
    const { profile } = service
    return {
      operationId: `redeliver${serviceTitle(profile)}Delivery`,
      tags: ['Deliveries'],
      summary: 'Send a finished delivery again',
      description: [attemptsText(profile), ...manualLimit(profile)].join(' '),
      params: deliveryParams(service),
      headers: idempotencyHeaders,
      response: {
        202: deliverySchema(service),
        ...problemResponses(
          ...KEY_PROBLEMS,
          ...CREATE_PROBLEMS,
          'role_missing',
          'delivery_not_finished',
          'webhook_not_on',
          ...rateLimitedProblem(profile),
          'quota_exceeded',
        ),
      },
    }
  },
  async run({ ctx, caller, request, reply, params }) {
    const { workspace } = caller
    const delivery = await deliveryOf(ctx, caller, params)
    const sent = await sendManually(ctx, request, reply, 'delivery_not_finished', (by) =>
      ctx.engine.redeliver(workspace, delivery, by),
    )
    return deliveryJson(ctx, caller, sent)
  },
})
