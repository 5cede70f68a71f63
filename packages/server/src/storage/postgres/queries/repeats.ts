import type { StoredEvent } from '../../rows.ts'
import type { EventToStore } from '../../storage.ts'
import { numbers, texts } from '../arrays.ts'
import type { Tx } from '../transaction.ts'

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

interface Known {
  readonly id: number
  readonly brought_id: string | null
  readonly fingerprint: Uint8Array | null
  readonly created_at: number
}

interface Row extends Known {
  readonly workspace_id: number
  /** The id under which it was asked for. */
  readonly asked: string
}

type Repeat = Pick<StoredEvent, 'id' | 'broughtId' | 'createdAt'>

/** What is already known of a batch: for each event the one it repeats; or the first event whose id is taken. */
export type Recognition =
  | { readonly conflict: null; readonly repeats: readonly (Repeat | null)[] }
  | { readonly conflict: number }

/** Tells repeats of earlier publishes from new events, before anything of the batches is written. */
export async function recognize(
  tx: Tx,
  batches: readonly (readonly EventToStore[])[],
): Promise<readonly Recognition[]> {
  const known = await readKnown(tx, batches.flat())
  return batches.map((batch) => recognizeBatch(batch, known))
}

async function readKnown(tx: Tx, events: readonly EventToStore[]): Promise<Map<string, Known>> {
  const named = events.filter((event) => event.broughtId !== null)
  const derived = named.filter((event) => event.broughtRowId !== null)
  const known = new Map<string, Known>()
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

/** @param known what earlier publishes stored; events of the batch join it unless it is refused */
function recognizeBatch(batch: readonly EventToStore[], known: Map<string, Known>): Recognition {
  const repeats: (Repeat | null)[] = []
  const inBatch = new Map<string, Known>()
  for (const [position, event] of batch.entries()) {
    if (event.broughtId === null) {
      repeats.push(null)
      continue
    }
    const name = nameOf(event.workspaceId, event.broughtId)
    const earlier = inBatch.get(name) ?? known.get(name)
    if (earlier === undefined) inBatch.set(name, asKnown(event))
    else if (!sameContent(earlier.fingerprint, event.fingerprint)) return { conflict: position }
    repeats.push(earlier === undefined ? null : asRepeat(earlier))
  }
  for (const [name, event] of inBatch) known.set(name, event)
  return { conflict: null, repeats }
}

const nameOf = (workspaceId: number, broughtId: string): string => `${workspaceId} ${broughtId}`

function asKnown({ id, broughtId, fingerprint, createdAt }: EventToStore): Known {
  return { id, brought_id: broughtId, fingerprint, created_at: createdAt }
}

function asRepeat(known: Known): Repeat {
  return { id: known.id, broughtId: known.brought_id, createdAt: known.created_at }
}

/** An event that was published without an id has no fingerprint: whoever repeats its id is believed. */
function sameContent(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null || Buffer.compare(a, b) === 0
}
