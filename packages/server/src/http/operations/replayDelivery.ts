import type { Profile } from '../../profiles/profile.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import { sendManually } from '../shared/deliveries.ts'
import { CREATE_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { deliveryJson, deliveryOf, deliveryParams, deliverySchema } from './delivery.ts'
import { deliveryPath } from './layout.ts'
import { operation } from './operation.ts'
import { manualLimit, rateLimitedProblem } from './texts.ts'
import { serviceTitle } from './words.ts'

/** States of deliveries that can be replayed. */
const fromOf = ({ operations }: Profile): readonly string[] => operations.replay?.from ?? []

const onlyDead = (profile: Profile): boolean => fromOf(profile).join() === 'dead'

const wrongStatus = (profile: Profile) => (onlyDead(profile) ? 'delivery_not_dead' : 'delivery_not_finished')

export const replayDelivery = operation({
  name: 'replayDelivery',
  method: 'POST',
  path: (layout) => `${deliveryPath(layout)}/replay`,
  isIn: ({ operations }) => operations.replay !== null,
  access: ({ operations }) => ({ scopes: operations.replay?.scopes ?? [], members: 'owners' }),
  schema(service) {
    const { profile } = service
    const attempts =
      profile.operations.replay?.attempts === 'one' ? 'one attempt' : 'all attempts of a new delivery'
    return {
      operationId: `replay${serviceTitle(profile)}Delivery`,
      tags: ['Deliveries'],
      summary: `Replay a ${onlyDead(profile) ? 'dead' : 'finished'} delivery`,
      description: [`Makes it pending again, due now, with ${attempts}.`, ...manualLimit(profile)].join(' '),
      params: deliveryParams(service),
      headers: idempotencyHeaders,
      response: {
        202: deliverySchema(service),
        ...problemResponses(
          ...KEY_PROBLEMS,
          ...CREATE_PROBLEMS,
          'role_missing',
          wrongStatus(profile),
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
    const sent = await sendManually(ctx, request, reply, wrongStatus(ctx.dialect.profile), (by) =>
      ctx.engine.replay(workspace, delivery, by),
    )
    return deliveryJson(ctx, caller, sent)
  },
})
