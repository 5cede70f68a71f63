import type { StoredEvent } from './rows.ts'
import type { EventToStore } from './storage.ts'

/** An event that was published before. */
export interface EarlierEvent {
  readonly id: number
  readonly brought_id: string | null
  readonly fingerprint: Uint8Array | null
  readonly created_at: number
}

type Repeat = Pick<StoredEvent, 'id' | 'broughtId' | 'createdAt'>

/** For each event of a batch the one that it repeats; or the first event whose id another event has. */
export type BatchRepeats =
  | { readonly conflict: null; readonly repeats: readonly (Repeat | null)[] }
  | { readonly conflict: number }

/**
 * Tells repeats of earlier publishes from new events, before anything of the batch is written.
 * @param find what earlier publishes stored under the id that the event brings
 * @param onNew called with the batch's new events that bring an id, unless the batch is rejected
 */
export function findRepeats(
  batch: readonly EventToStore[],
  find: (event: EventToStore, name: string) => EarlierEvent | undefined,
  onNew: (name: string, event: EarlierEvent) => void = () => {},
): BatchRepeats {
  const repeats: (Repeat | null)[] = []
  const inBatch = new Map<string, EarlierEvent>()
  for (const [position, event] of batch.entries()) {
    if (event.broughtId === null) {
      repeats.push(null)
      continue
    }
    const name = nameOf(event.workspaceId, event.broughtId)
    const earlier = inBatch.get(name) ?? find(event, name)
    if (earlier === undefined) inBatch.set(name, toEarlier(event))
    else if (!sameContent(earlier.fingerprint, event.fingerprint)) return { conflict: position }
    repeats.push(earlier === undefined ? null : toRepeat(earlier))
  }
  for (const [name, event] of inBatch) onNew(name, event)
  return { conflict: null, repeats }
}

export const nameOf = (workspaceId: number, broughtId: string): string => `${workspaceId} ${broughtId}`

function toEarlier({ id, broughtId, fingerprint, createdAt }: EventToStore): EarlierEvent {
  return { id, brought_id: broughtId, fingerprint, created_at: createdAt }
}

function toRepeat(known: EarlierEvent): Repeat {
  return { id: known.id, broughtId: known.brought_id, createdAt: known.created_at }
}

/** An event that was published without an id has no fingerprint, so every event with its id counts as a repeat. */
function sameContent(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null || Buffer.compare(a, b) === 0
}
