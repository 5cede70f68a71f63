import { type Static, Type } from 'typebox'
import { DELIVERY_STATUSES } from '../../core/delivery.ts'
import type { Profile, Resending } from '../../profiles/profile.ts'
import { sendsMissed } from '../operations/recovery.ts'
import { closed, nullable, oneOf } from '../shared/schemas.ts'

const flag = (description: string) => Type.Boolean({ description })
const deliveryStatus = oneOf(DELIVERY_STATUSES, 'A state of a delivery.')
const bodyPath = (what: string, where: string) =>
  nullable(Type.String({ description: `Where the ${what} is, such as \`data.object\`; null: ${where}.` }))

const resending = (description: string) =>
  nullable(
    closed(
      {
        from: Type.Array(deliveryStatus, { description: 'The states of a delivery in which it is allowed.' }),
        attempts: oneOf(['one', 'schedule'], 'One attempt, or as many as a new delivery gets.'),
      },
      { description: `${description} Null: the operation does not exist.` },
    ),
  )

export const ServiceSchema = closed(
  {
    name: Type.String({
      description: 'Id of the service, as in `dialect` of a workspace.',
      examples: ['content'],
    }),
    title: Type.String({ description: 'Display name.' }),
    case: oneOf(['snake', 'camel'], 'Spelling of members and query parameters in its API.'),
    paths: oneOf(
      ['workspace', 'flat'],
      'Where its API is: at `/v1/workspaces/{ws}`, or at `/api/v1`, where the header `posthorn-workspace` names the workspace. There, deliveries are at `/webhook-deliveries`.',
    ),
    words: closed(
      {
        webhook: oneOf(['webhook', 'endpoint'], 'The word for what receives events.'),
        types: oneOf(['events', 'types'], 'The member of a webhook that lists its event types.'),
        resend: oneOf(['redeliver', 'replay'], 'The word for sending a finished delivery again.'),
        event: Type.String({ description: 'The word for what is published.', examples: ['event'] }),
      },
      { description: 'Words used for these things.' },
    ),
    webhook: closed(
      {
        all_types: flag('Whether an empty list of event types means all.'),
        state: flag('Whether a webhook shows its state, and can be disabled and enabled.'),
      },
      { description: 'Features of webhooks.' },
    ),
    operations: closed(
      {
        test: nullable(
          closed(
            {
              type: nullable(
                Type.String({
                  description: 'The event type of tests. Null: there is no test event.',
                  examples: ['webhook.test'],
                }),
              ),
            },
            { description: 'Sends a test event. Null: the operation does not exist.' },
          ),
        ),
        pause: flag('Whether a webhook can be paused.'),
        pause_holds: flag(
          'Whether events published during a pause are sent after it. Otherwise they are skipped.',
        ),
        redeliver: resending('Redelivers one delivery.'),
        replay: resending('Replays one delivery.'),
        bulk: flag('Whether many deliveries can be replayed with one request.'),
        retry: flag('Whether pending deliveries can be attempted before they are due.'),
        recover: flag('Whether the failed deliveries of one webhook can be recovered.'),
        recover_missed: flag(
          'Whether a recovery also sends the events that the webhook missed while it was disabled or paused.',
        ),
      },
      { description: 'The optional operations of the service.' },
    ),
    statuses: Type.Array(deliveryStatus, {
      description: 'The states of deliveries, those of failed ones first.',
    }),
    catalog: closed(
      { open: flag('Whether webhooks can subscribe to event types that are not listed.') },
      { description: 'Its event types.' },
    ),
    searchable: Type.Array(Type.String(), {
      description:
        'Members of the body that the event search reads, as paths. A name that begins with * matches all members that end with the rest of the name. Empty: events can be found only by ids.',
      examples: [['data.id', 'data.*_id', 'data.name']],
    }),
    body: closed(
      {
        id: bodyPath('id of the event', 'not in the body'),
        type: bodyPath('event type', 'not in the body'),
        data: bodyPath('data', 'it is the body'),
        members: Type.Array(Type.String(), {
          description: 'Paths of all members. Empty: the data is the body.',
        }),
      },
      { description: 'Members of the body of requests.' },
    ),
    unsigned: flag('Whether requests are not signed, so receivers cannot distinguish them from forged ones.'),
  },
  { title: 'Service' },
)

/** The facts about a service that a console needs. */
export function serviceJson(profile: Profile): Static<typeof ServiceSchema> {
  const { name, title, paths, words, webhook, operations, policy, catalog, signatures } = profile
  const { searchable } = profile
  const { pause, redeliver, replay, bulk, retry, recover } = operations
  return {
    name,
    title,
    case: profile.case,
    paths,
    words,
    webhook: { all_types: webhook.allTypes, state: webhook.state },
    operations: {
      test: operations.test === null ? null : { type: profile.test?.type ?? null },
      pause: pause !== null,
      pause_holds: policy.pause === 'hold',
      redeliver: resendingJson(redeliver),
      replay: resendingJson(replay),
      bulk: bulk !== null,
      retry: retry !== null,
      recover: recover !== null,
      recover_missed: sendsMissed(profile),
    },
    statuses: [policy.exhausted, 'pending', 'delivered', 'canceled'],
    catalog: { open: catalog.open },
    searchable: [...searchable],
    body: bodyJson(profile),
    unsigned: signatures.length === 0,
  }
}

const resendingJson = (one: Resending | null) =>
  one === null ? null : { from: [...one.from], attempts: one.attempts }

function bodyJson({ envelope }: Profile): Static<typeof ServiceSchema>['body'] {
  if (envelope === 'bare') return { id: null, type: null, data: null, members: [] }
  const pathOf = (field: string) => envelope.find((member) => member.field === field)?.path ?? null
  return {
    id: pathOf('id'),
    type: pathOf('type'),
    data: pathOf('data'),
    members: envelope.map(({ path }) => path),
  }
}
