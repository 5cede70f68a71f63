import type { Profile } from '../../profiles/profile.ts'
import { headerShowing } from '../../profiles/requests.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import { sendManually, type WrongStatus } from '../shared/deliveries.ts'
import { deliveryJson, deliveryOf, deliveryParams, deliverySchema } from './delivery.ts'
import { deliveryPath } from './layout.ts'
import { type Operation, operation } from './operation.ts'
import { manualLimit, manualSendProblems } from './texts.ts'
import { serviceTitle } from './words.ts'

/** A way to send one delivery. */
interface Resend {
  /** Names the operation in texts of profiles. */
  readonly name: string
  /** In profiles, paths and names of documents. */
  readonly verb: 'redeliver' | 'replay' | 'retry'
  /** Of the engine. */
  readonly send: 'redeliver' | 'replay' | 'retryDelivery'
  readonly summary: (profile: Profile) => string
  readonly description: (profile: Profile) => string
  readonly wrongStatus: (profile: Profile) => WrongStatus
}

/** They differ in what they are called, and in the states that they start from and the attempts that they have. */
const resend = ({ name, verb, send, summary, description, wrongStatus }: Resend): Operation =>
  operation({
    name,
    method: 'POST',
    path: (layout) => `${deliveryPath(layout)}/${verb}`,
    isIn: ({ operations }) => operations[verb] !== null,
    access: ({ operations }) => ({
      scopes: operations[verb]?.scopes ?? [],
      members: 'owners',
      operators: true,
    }),
    schema(service) {
      const { profile } = service
      return {
        operationId: `${verb}${serviceTitle(profile)}Delivery`,
        tags: ['Deliveries'],
        summary: summary(profile),
        description: [description(profile), ...manualLimit(profile)].join(' '),
        params: deliveryParams(service),
        headers: idempotencyHeaders,
        response: {
          202: deliverySchema(service),
          ...manualSendProblems(profile, wrongStatus(profile)),
        },
      }
    },
    async run({ ctx, caller, request, reply, params }) {
      const { workspace } = caller
      const delivery = await deliveryOf(ctx, caller, params)
      const sent = await sendManually(ctx, request, reply, wrongStatus(ctx.dialect.profile), (by) =>
        ctx.engine[send](workspace, delivery, by),
      )
      return deliveryJson(ctx, caller, sent)
    },
  })

/** What every attempt has in common. */
function sameText(profile: Profile): string {
  const header = headerShowing(profile, 'id')
  return header === null ? 'the same bytes' : `the same \`${header}\` and the same bytes`
}

export const redeliver = resend({
  name: 'redeliver',
  verb: 'redeliver',
  send: 'redeliver',
  summary: () => 'Send a finished delivery again',
  description: (profile) =>
    profile.operations.redeliver?.attempts === 'schedule'
      ? `Makes it pending again, due now, with ${sameText(profile)} and all attempts of a new delivery.`
      : `Makes one more attempt, with ${sameText(profile)}.`,
  wrongStatus: () => 'delivery_not_finished',
})

const onlyDead = ({ operations }: Profile): boolean => operations.replay?.from.join() === 'dead'

export const retryDelivery = resend({
  name: 'retryDelivery',
  verb: 'retry',
  send: 'retryDelivery',
  summary: () => 'Make the next attempt of a pending delivery now',
  description: () =>
    'Brings the next attempt forward, whatever a `Retry-After` asked for. It is one of the attempts of the delivery: if it fails, the wait that follows is that of the schedule. Nothing changes where an attempt is under way or due.',
  wrongStatus: () => 'delivery_not_pending',
})

export const replayDelivery = resend({
  name: 'replayDelivery',
  verb: 'replay',
  send: 'replay',
  summary: (profile) => `Replay a ${onlyDead(profile) ? 'dead' : 'finished'} delivery`,
  description: ({ operations }) => {
    const attempts = operations.replay?.attempts === 'one' ? 'one attempt' : 'all attempts of a new delivery'
    return `Makes it pending again, due now, with ${attempts}.`
  },
  wrongStatus: (profile) => (onlyDead(profile) ? 'delivery_not_dead' : 'delivery_not_finished'),
})
