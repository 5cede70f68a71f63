import { AtOnce } from '../../fanout.ts'
import type { OnWebhook } from '../../matchCache.ts'
import type { EventToStore } from '../../storage.ts'
import type { Tx } from '../transaction.ts'
import type { VerbParams } from '../verb.ts'
import { type Recognition, recognize } from './repeats.ts'

export type PublishCall = VerbParams<'publish'>

/** An event and where it comes from. */
export interface NewEvent {
  readonly call: number
  readonly batch: number
  readonly position: number
  readonly event: EventToStore
}

/** What is to be stored of some calls. */
export interface News {
  readonly recognitions: readonly Recognition[][]
  /** Events that are stored for the first time, in the order of their calls. */
  readonly placed: readonly NewEvent[]
  readonly events: readonly EventToStore[]
  readonly workspaces: ReadonlySet<number>
}

export async function newsOf(tx: Tx, calls: readonly PublishCall[]): Promise<News> {
  const recognitions = await recognizeAll(tx, calls)
  const placed = newEvents(calls, recognitions)
  const events = placed.map(({ event }) => event)
  return { recognitions, placed, events, workspaces: new Set(events.map((event) => event.workspaceId)) }
}

async function recognizeAll(tx: Tx, calls: readonly PublishCall[]): Promise<readonly Recognition[][]> {
  const all = await recognize(
    tx,
    calls.flatMap(({ batches }) => batches),
  )
  let next = 0
  return calls.map(({ batches }) => batches.map(() => all[next++]!))
}

/** Events that are stored for the first time, in the order of their calls. */
function newEvents(calls: readonly PublishCall[], recognitions: readonly Recognition[][]): NewEvent[] {
  return calls.flatMap(({ batches }, call) =>
    batches.flatMap((events, batch) => {
      const known = recognitions[call]![batch]!
      if (known.conflict !== null) return []
      const placed = events.map((event, position) => ({ call, batch, position, event }))
      return placed.filter(({ position }) => known.repeats[position] === null)
    }),
  )
}

/** A delivery to be made. */
export interface Wanted {
  readonly of: NewEvent
  readonly webhookId: number
  readonly webhookVersion: number
  readonly leased: boolean
}

/** An event whose deliveries are made after the acknowledgement. */
export interface LateEvent {
  readonly of: NewEvent
  /** As the matching gives them. */
  readonly webhooks: readonly OnWebhook[]
}

/** The deliveries of new events: those made at once, and those made later. */
export interface Wanting {
  readonly wanted: readonly Wanted[]
  readonly late: readonly LateEvent[]
}

/** @returns the deliveries of new events, leased as far as their call has room */
export function wantedOf(
  calls: readonly PublishCall[],
  events: readonly NewEvent[],
  match: (event: EventToStore) => readonly OnWebhook[],
): Wanting {
  const grants = calls.map(({ room, withhold }) => ({
    room,
    withheld: new Set(withhold),
    atOnce: new AtOnce(),
  }))
  const wanted: Wanted[] = []
  const late: LateEvent[] = []
  for (const of of events) {
    const grant = grants[of.call]!
    const webhooks = match(of.event)
    if (!grant.atOnce.takes(of.event.workspaceId, webhooks.length)) {
      late.push({ of, webhooks })
      continue
    }
    for (const { id: webhookId, version: webhookVersion } of webhooks) {
      const leased = grant.room > 0 && !grant.withheld.has(webhookId)
      if (leased) grant.room--
      wanted.push({ of, webhookId, webhookVersion, leased })
    }
  }
  return { wanted, late }
}

/** @returns what is left to store without some batches, which are refused */
export function without(news: News, refused: Pick<ReadonlySet<string>, 'has' | 'size'>): News {
  if (refused.size === 0) return news
  const placed = news.placed.filter((event) => !refused.has(batchOf(event)))
  const events = placed.map(({ event }) => event)
  return { ...news, placed, events, workspaces: new Set(events.map((event) => event.workspaceId)) }
}

export const batchOf = ({ call, batch }: Pick<NewEvent, 'call' | 'batch'>): string => `${call} ${batch}`
