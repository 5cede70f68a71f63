import type { Consumer, Workspace } from '../../../storage/rows.ts'
import { type EventPosition, type FeedEvent, isAhead } from '../../../storage/storage.ts'
import type { ServiceContext } from '../context.ts'
import { notFound } from '../problems.ts'

/** What a reader gets of a feed. */
interface ReadEvents {
  readonly events: readonly FeedEvent[]
  /** How far it looked. */
  readonly reached: EventPosition
  /** Whether there is more already. */
  readonly more: boolean
}

/** @throws Problem `not_found` */
export async function findConsumer(
  ctx: ServiceContext,
  { id: workspaceId }: Workspace,
  name: string,
): Promise<Consumer> {
  const consumer = await ctx.storage.consumers.getConsumer({ workspaceId, name })
  if (consumer === null) throw notFound('consumer')
  return consumer
}

/**
 * Reads what a consumer gets behind a place.
 * @param most as `listEvents` of the store has it
 */
export async function readEvents(
  { storage }: ServiceContext,
  { workspaceId, eventTypes }: Consumer,
  after: EventPosition,
  most: { readonly limit: number; readonly maxBytes?: number },
): Promise<ReadEvents> {
  const { events, next, more } = await storage.log.listEvents({ workspaceId, eventTypes, after, ...most })
  return { events, reached: next === null || isAhead(after, next) ? after : next, more }
}

/** Events that were removed before they were acknowledged, and that no acknowledgement has taken notice of. */
export const gapOf = ({ lost, lostSeen }: Pick<Consumer, 'lost' | 'lostSeen'>): number => lost - lostSeen
