import { ImmediateFanout } from '../../fanout.ts'
import type { OnWebhook } from '../../matchCache.ts'
import { type BatchRepeats, type EarlierEvent, findRepeats, nameOf } from '../../repeats.ts'
import type { EventToStore } from '../../storage.ts'
import type { CallParams } from '../call.ts'
import type { Tx } from '../transaction.ts'
import { numbers, texts } from '../values.ts'

export const repeatSql = {
  byBroughtId: `
    SELECT b.workspace_id, b.brought_id AS asked, b.event_id AS id, b.brought_id, b.fingerprint, b.created_at
    FROM unnest($1::bigint[], $2::text[]) AS x (workspace_id, brought_id)
    CROSS JOIN LATERAL (
      SELECT * FROM brought_ids WHERE workspace_id = x.workspace_id AND brought_id = x.brought_id OFFSET 0) b`,
  byRowId: `
    SELECT e.workspace_id, x.asked, e.id, e.brought_id, e.fingerprint, e.created_at
    FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS x (id, workspace_id, asked)
    CROSS JOIN LATERAL (SELECT * FROM events WHERE id = x.id AND workspace_id = x.workspace_id OFFSET 0) e`,
}

interface Row extends EarlierEvent {
  readonly workspace_id: number
  /** The id that the publisher gave. */
  readonly asked: string
}

export type PublishCall = CallParams<'publish'>

/** An event and its origin. */
export interface NewEvent {
  readonly call: number
  readonly batch: number
  readonly position: number
  readonly event: EventToStore
}

/** The rows to store for some calls. */
export interface NewEvents {
  readonly repeats: readonly BatchRepeats[][]
  /** Events that are stored for the first time, in the order of their calls. */
  readonly placed: readonly NewEvent[]
  readonly events: readonly EventToStore[]
  readonly workspaces: ReadonlySet<number>
}

export async function findNewEvents(tx: Tx, calls: readonly PublishCall[]): Promise<NewEvents> {
  const repeats = await findRepeatsOfCalls(tx, calls)
  const placed = eventsToStore(calls, repeats)
  const events = placed.map(({ event }) => event)
  return { repeats, placed, events, workspaces: new Set(events.map((event) => event.workspaceId)) }
}

async function findRepeatsOfCalls(tx: Tx, calls: readonly PublishCall[]): Promise<readonly BatchRepeats[][]> {
  const all = await repeatsOf(
    tx,
    calls.flatMap(({ batches }) => batches),
  )
  let next = 0
  return calls.map(({ batches }) => batches.map(() => all[next++]!))
}

/** Finds repeats of earlier batches of the same call, too. */
async function repeatsOf(
  tx: Tx,
  batches: readonly (readonly EventToStore[])[],
): Promise<readonly BatchRepeats[]> {
  const known = await readEarlier(tx, batches.flat())
  return batches.map((batch) =>
    findRepeats(
      batch,
      (_, name) => known.get(name),
      (name, event) => known.set(name, event),
    ),
  )
}

async function readEarlier(tx: Tx, events: readonly EventToStore[]): Promise<Map<string, EarlierEvent>> {
  const named = events.filter((event) => event.broughtId !== null)
  const derived = named.filter((event) => event.broughtRowId !== null)
  const known = new Map<string, EarlierEvent>()
  if (named.length === 0) return known
  const [byId, byRow] = await Promise.all([
    tx.rows<Row>(repeatSql.byBroughtId, [
      numbers(named.map((event) => event.workspaceId)),
      texts(named.map((event) => event.broughtId)),
    ]),
    derived.length === 0
      ? []
      : tx.rows<Row>(repeatSql.byRowId, [
          numbers(derived.map((event) => event.broughtRowId)),
          numbers(derived.map((event) => event.workspaceId)),
          texts(derived.map((event) => event.broughtId)),
        ]),
  ])
  for (const row of [...byRow, ...byId]) known.set(nameOf(row.workspace_id, row.asked), row)
  return known
}

/** Events that are stored for the first time, in the order of their calls. */
function eventsToStore(calls: readonly PublishCall[], repeats: readonly BatchRepeats[][]): NewEvent[] {
  return calls.flatMap(({ batches }, call) =>
    batches.flatMap((events, batch) => {
      const known = repeats[call]![batch]!
      if (known.conflict !== null) return []
      const placed = events.map((event, position) => ({ call, batch, position, event }))
      return placed.filter(({ position }) => known.repeats[position] === null)
    }),
  )
}

/** A delivery to create. */
export interface Wanted {
  readonly of: NewEvent
  readonly webhookId: number
  readonly webhookVersion: number
  readonly leased: boolean
}

/** An event whose deliveries are created after the response. */
export interface LateEvent {
  readonly of: NewEvent
  /** As the matching gives them. */
  readonly webhooks: readonly OnWebhook[]
}

/** The deliveries of new events: those created now, and those created later. */
export interface Wanting {
  readonly wanted: readonly Wanted[]
  readonly late: readonly LateEvent[]
}

/** @returns the deliveries of new events, leased while their call has room */
export function wantedOf(
  calls: readonly PublishCall[],
  events: readonly NewEvent[],
  match: (event: EventToStore) => readonly OnWebhook[],
): Wanting {
  const grants = calls.map(({ room, keepInStore }) => ({
    room,
    keptInStore: new Set(keepInStore),
    immediate: new ImmediateFanout(),
  }))
  const wanted: Wanted[] = []
  const late: LateEvent[] = []
  for (const of of events) {
    const grant = grants[of.call]!
    const webhooks = match(of.event)
    if (!grant.immediate.takes(of.event.workspaceId, webhooks.length)) {
      late.push({ of, webhooks })
      continue
    }
    for (const { id: webhookId, version: webhookVersion, held } of webhooks) {
      const leased = grant.room > 0 && !held && !grant.keptInStore.has(webhookId)
      if (leased) grant.room--
      wanted.push({ of, webhookId, webhookVersion, leased })
    }
  }
  return { wanted, late }
}

/** @returns the rows to store without the rejected batches */
export function without(newEvents: NewEvents, refused: Pick<ReadonlySet<string>, 'has' | 'size'>): NewEvents {
  if (refused.size === 0) return newEvents
  const placed = newEvents.placed.filter((event) => !refused.has(batchOf(event)))
  const events = placed.map(({ event }) => event)
  return { ...newEvents, placed, events, workspaces: new Set(events.map((event) => event.workspaceId)) }
}

export const batchOf = ({ call, batch }: Pick<NewEvent, 'call' | 'batch'>): string => `${call} ${batch}`
