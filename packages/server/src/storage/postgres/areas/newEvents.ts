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

/** @returns the deliveries of new events, leased as far as their call has room */
export function wantedOf(
  calls: readonly PublishCall[],
  events: readonly NewEvent[],
  match: (event: EventToStore) => readonly { readonly id: number; readonly version: number }[],
): Wanted[] {
  const grants = calls.map(({ room, withhold }) => ({ room, withheld: new Set(withhold) }))
  const wanted: Wanted[] = []
  for (const of of events) {
    const grant = grants[of.call]!
    for (const { id: webhookId, version: webhookVersion } of match(of.event)) {
      const leased = grant.room > 0 && !grant.withheld.has(webhookId)
      if (leased) grant.room--
      wanted.push({ of, webhookId, webhookVersion, leased })
    }
  }
  return wanted
}
