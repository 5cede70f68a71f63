import type { Profile } from '../../profiles/profile.ts'
import { headerShowing } from '../../profiles/requests.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import { sendManually, type WrongStatus } from '../shared/deliveries.ts'
import { deliveryJson, deliveryOf, deliveryParams, deliverySchema } from './delivery.ts'
import { deliveryPath } from './layout.ts'
import { type Operation, operation } from './operation.ts'
import { manualLimit, manualSendProblems } from './texts.ts'
import { listed, serviceTitle } from './words.ts'

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
          ...manualSendProblems(profile, wrongStatus(profile).code),
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
  wrongStatus: (profile) => ({
    code: 'delivery_not_finished',
    rule: `Only ${statesOf(profile, 'redeliver')} deliveries can be redelivered`,
  }),
})

/** The states that a delivery is sent again from, as an adjective. */
function statesOf({ operations, policy }: Profile, verb: 'redeliver' | 'replay'): string {
  const finished = ['delivered', policy.exhausted, 'canceled'] as const
  const from = finished.filter((status) => operations[verb]?.from.includes(status))
  return from.length === finished.length ? 'finished' : listed(from)
}

const onlyDead = ({ operations }: Profile): boolean => operations.replay?.from.join() === 'dead'

export const retryDelivery = resend({
  name: 'retryDelivery',
  verb: 'retry',
  send: 'retryDelivery',
  summary: () => 'Make the next attempt of a pending delivery now',
  description: () =>
    "Makes the next attempt due now, even if the receiver requested a longer wait with `Retry-After`. It counts as one of the delivery's attempts. If an attempt is already due or in flight, nothing changes.",
  wrongStatus: () => ({ code: 'delivery_not_pending', rule: 'Only pending deliveries can be retried' }),
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
  wrongStatus: (profile) => ({
    code: onlyDead(profile) ? 'delivery_not_dead' : 'delivery_not_finished',
    rule: `Only ${statesOf(profile, 'replay')} deliveries can be replayed`,
  }),
})
