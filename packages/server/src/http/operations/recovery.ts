import { Type } from 'typebox'
import { missedTypes } from '../../core/missedTypes.ts'
import type { ServedProfile } from '../../profiles/compile.ts'
import { isPrefixed, type Profile } from '../../profiles/profile.ts'
import type { Replay, ReplayedStatus, Webhook, Workspace } from '../../storage/rows.ts'
import type { MissedEvents } from '../../storage/storage.ts'
import type { ServiceContext } from '../shared/context.ts'
import { writeCursor } from '../shared/pages.ts'
import { notFound } from '../shared/problems.ts'
import { closed, eventTypeName, nullable, oneOf, pathId, time } from '../shared/schemas.ts'
import { isoTime, isoTimeOrNull } from '../shared/time.ts'
import { findWebhook, webhookOrNull } from '../shared/webhooks.ts'
import { spellingOf } from './case.ts'
import { statusOf } from './delivery.ts'
import { LAYOUTS, type LayoutName } from './layout.ts'
import { titled } from './texts.ts'
import { webhookParams } from './webhook.ts'
import { receiverWords } from './words.ts'

/** The path of one recovery: under its webhook, or by its id. */
export const recoveryPath = (layout: LayoutName, id = layout === 'workspace' ? ':rid' : ':id'): string =>
  layout === 'workspace' ? `/webhooks/:id/recoveries/${id}` : `${LAYOUTS[layout].deliveries}/recoveries/${id}`

/** The states that a recovery sends again from. */
export const recoverable = ({ policy }: ServedProfile): readonly ReplayedStatus[] => [
  policy.exhaustedStatus,
  'canceled',
]

/** Whether a recovery sends what its webhook missed while it was off or paused. */
export const sendsMissed = ({ operations }: Profile): boolean => operations.recover?.missed ?? false

function missedSchema({ profile }: ServedProfile) {
  const { one } = receiverWords(profile)
  const { member } = spellingOf(profile.case)
  const those = `Events published while the ${one} was paused or disabled.`
  return closed(
    {
      count: Type.Integer({
        description: `Number of events. A minimum if \`${member('has_more')}\` is true.`,
      }),
      has_more: Type.Boolean({ description: 'Whether there can be more than the counted ones.' }),
      cursor: nullable(
        Type.String({
          description:
            'Send it as `after` to the feed of events, to read them from the first on; null: there are none.',
        }),
      ),
    },
    {
      description: sendsMissed(profile)
        ? `${those} The recovery sends them last and includes them in \`total\`. This number does not include events whose deliveries are already created.`
        : `${those} The recovery does not send them; read them from the events API.`,
    },
  )
}

const countMembers = (service: ServedProfile) => ({
  total: Type.Integer({ description: 'Matching deliveries.' }),
  done: Type.Integer({
    description: 'How many of them have ended again: `delivered` and `failed` together.',
  }),
  delivered: Type.Integer({ description: 'Deliveries that were delivered.' }),
  failed: Type.Integer({ description: 'Deliveries that failed again.' }),
  missed: missedSchema(service),
})

export function recoverySchema(service: ServedProfile) {
  const { profile } = service
  return titled(service, 'Recovery', 'Recovery', {
    id: Type.String({
      ...(isPrefixed(profile) ? {} : { format: 'uuid' }),
      description: 'Identifies the recovery in paths.',
    }),
    status: oneOf(
      ['running', 'done', 'canceled'],
      `Its state. It is canceled on request, or if the ${receiverWords(profile).one} is paused or disabled.`,
    ),
    ...countMembers(service),
    since: time('Only deliveries of events at or after this time.'),
    until: time('Only deliveries of events before this time.'),
    statuses: Type.Array(statusOf(service), { description: 'Only deliveries in these states.' }),
    types: Type.Array(eventTypeName, {
      description: 'Only deliveries of these event types. Empty: all types.',
    }),
    created_at: time('When it was requested.'),
    done_at: nullable(time('When the last delivery had ended.')),
  })
}

export const previewSchema = (service: ServedProfile) =>
  titled(service, 'RecoveryPreview', 'RecoveryPreview', countMembers(service))

const missedJson = (ctx: ServiceContext, workspace: Workspace, { count, more, before }: MissedEvents) => ({
  count,
  has_more: more,
  cursor: before === null ? null : writeCursor(ctx, { list: 'events', ownerId: workspace.id }, before),
})

export const previewJson = (
  ctx: ServiceContext,
  workspace: Workspace,
  total: number,
  missed: MissedEvents,
): object => ({ total, done: 0, delivered: 0, failed: 0, missed: missedJson(ctx, workspace, missed) })

function statusNow({ doneAt, canceledAt }: Replay): 'running' | 'done' | 'canceled' {
  if (canceledAt !== null) return 'canceled'
  return doneAt === null ? 'running' : 'done'
}

/** @param webhook that it is for; `null`: it was deleted */
export async function recoveryJson(
  ctx: ServiceContext,
  workspace: Workspace,
  recovery: Replay,
  webhook: Webhook | null,
): Promise<object> {
  const { eventTypes, from, to, delivered, failed } = recovery
  const missed = webhook === null ? NOTHING_MISSED : await missedOf(ctx, webhook, recovery)
  return {
    id: recovery.publicId,
    status: statusNow(recovery),
    total: recovery.total,
    done: delivered + failed,
    delivered,
    failed,
    missed: missedJson(ctx, workspace, missed),
    since: isoTime(from!),
    until: isoTime(to!),
    statuses: recovery.statuses,
    types: eventTypes,
    created_at: isoTime(recovery.createdAt),
    done_at: isoTimeOrNull(recovery.doneAt),
  }
}

const NOTHING_MISSED: MissedEvents = { count: 0, more: false, types: [], before: null }

/** What the webhook missed of what a recovery is about: events of its own types, and of those that were asked for. */
export async function missedOf(
  { storage }: ServiceContext,
  { id: webhookId, workspaceId, eventTypes: own }: Webhook,
  { eventTypes: asked, from, to }: Pick<Replay, 'eventTypes' | 'from' | 'to'>,
): Promise<MissedEvents> {
  const eventTypes = missedTypes(own, asked)
  if (eventTypes === null) return NOTHING_MISSED
  return storage.log.countMissed({ workspaceId, webhookId, eventTypes, from, to })
}

/** @throws Problem `not_found` */
export async function findReplay(
  { dialect, storage }: ServiceContext,
  { id: workspaceId }: Workspace,
  id: string,
  trigger: Replay['trigger'],
): Promise<Replay> {
  const bytes = dialect.ids.replay.parse(id)
  const publicId = bytes === null ? null : dialect.ids.replay.format(bytes)
  const found = publicId === null ? null : await storage.log.getReplay({ workspaceId, publicId })
  if (found?.trigger !== trigger) throw notFound(trigger === 'recover' ? 'recovery' : 'replay')
  return found
}

type Params = Readonly<Record<string, string>>

/** @param params of the path, which names the webhook too where the layout does @throws Problem `not_found` */
export async function recoveryOf(
  ctx: ServiceContext,
  workspace: Workspace,
  params: Params,
): Promise<{ readonly recovery: Replay; readonly webhook: Webhook | null }> {
  if (ctx.dialect.profile.paths === 'flat') {
    const recovery = await findReplay(ctx, workspace, params.id!, 'recover')
    const { webhookPublicId } = recovery
    const webhook = webhookPublicId === null ? null : await webhookOrNull(ctx, workspace, webhookPublicId)
    return { recovery, webhook }
  }
  const webhook = await findWebhook(ctx, workspace, params.id!)
  const recovery = await findReplay(ctx, workspace, params.rid!, 'recover')
  if (recovery.webhookId !== webhook.id) throw notFound('recovery')
  return { recovery, webhook }
}

export const recoveryParams = (service: ServedProfile) =>
  service.profile.paths === 'flat'
    ? { id: pathId('The recovery.') }
    : { ...webhookParams(service), rid: pathId('The recovery.') }
