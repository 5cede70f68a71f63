import type { StoredEvent } from '../../rows.ts'
import type { EventToStore } from '../../storage.ts'
import type { Connection } from '../connection.ts'

export const repeatSql = {
  byBroughtId: `
    SELECT id, brought_id, fingerprint, created_at FROM events
    WHERE workspace_id = ? AND brought_id = ?`,
  byRowId: 'SELECT id, brought_id, fingerprint, created_at FROM events WHERE id = ? AND workspace_id = ?',
}

interface Known {
  readonly id: number
  readonly brought_id: string | null
  readonly fingerprint: Uint8Array | null
  readonly created_at: number
}

type Repeat = Pick<StoredEvent, 'id' | 'broughtId' | 'createdAt'>

/** What is already known of a batch: for each event the one it repeats; or the first event whose id is taken. */
export type Recognition =
  | { readonly conflict: null; readonly repeats: readonly (Repeat | null)[] }
  | { readonly conflict: number }

/** Tells repeats of earlier publishes from new events, before anything of the batch is written. */
export function recognizer(db: Connection): (batch: readonly EventToStore[]) => Recognition {
  const byBroughtId = db.prepare<[number, string], Known>(repeatSql.byBroughtId)
  const byRowId = db.prepare<[number, number], Known>(repeatSql.byRowId)

  const find = (event: EventToStore): Known | undefined =>
    byBroughtId.get(event.workspaceId, event.broughtId!) ??
    (event.broughtRowId === null ? undefined : byRowId.get(event.broughtRowId, event.workspaceId))

  return (batch) => {
    const repeats: (Repeat | null)[] = []
    const inBatch = new Map<string, Known>()
    for (const [position, event] of batch.entries()) {
      if (event.broughtId === null) {
        repeats.push(null)
        continue
      }
      const name = `${event.workspaceId} ${event.broughtId}`
      const known = inBatch.get(name) ?? find(event)
      if (known === undefined) inBatch.set(name, asKnown(event))
      else if (!sameContent(known.fingerprint, event.fingerprint)) return { conflict: position }
      repeats.push(known === undefined ? null : asRepeat(known))
    }
    return { conflict: null, repeats }
  }
}

function asKnown(event: EventToStore): Known {
  const { id, broughtId, fingerprint, createdAt } = event
  return { id, brought_id: broughtId, fingerprint, created_at: createdAt }
}

function asRepeat(known: Known): Repeat {
  return { id: known.id, broughtId: known.brought_id, createdAt: known.created_at }
}

/** An event that was published without an id has no fingerprint: whoever repeats its id is believed. */
function sameContent(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null || Buffer.compare(a, b) === 0
}
