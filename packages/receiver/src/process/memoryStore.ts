import type { ClaimedEvent, ProcessedStore } from './store.ts'

export interface MemoryStoreOptions {
  /** The oldest are forgotten beyond this. Default: 100,000, in some 30 MB. */
  readonly maxEntries?: number | undefined
  /** The current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: (() => number) | undefined
}

interface Entry {
  claim: { readonly token: string; readonly until: number } | null
  handled: { readonly version: number; readonly event: string; readonly until: number } | null
}

/** For a single process that may forget on restart what was handled. */
export function memoryStore({
  maxEntries = 100_000,
  now = Date.now,
}: MemoryStoreOptions = {}): ProcessedStore {
  // In the order in which they were last written.
  const entries = new Map<string, Entry>()

  const write = (key: string, entry: Entry) => {
    entries.delete(key)
    if (entry.claim === null && entry.handled === null) return
    entries.set(key, entry)
    if (entries.size <= maxEntries) return
    const oldest = oldestWithoutClaim(entries, now())
    if (oldest !== null) entries.delete(oldest)
  }
  const isHeld = (entry: Entry | undefined, token: string) => entry?.claim?.token === token
  return {
    async claim({ key, version, event }: ClaimedEvent, token, leaseMs) {
      const time = now()
      const entry = entries.get(key) ?? { claim: null, handled: null }
      const handled = entry.handled !== null && entry.handled.until > time ? entry.handled : null
      const isDone =
        handled !== null &&
        (handled.version > version || (handled.version === version && handled.event === event))
      if (isDone) return 'done'
      if (entry.claim !== null && entry.claim.until > time && entry.claim.token !== token) return 'busy'
      write(key, { claim: { token, until: time + leaseMs }, handled })
      return 'claimed'
    },
    async complete({ key, version, event }: ClaimedEvent, token, keepMs) {
      if (!isHeld(entries.get(key), token)) return
      write(key, { claim: null, handled: { version, event, until: now() + keepMs } })
    },
    async release(key, token) {
      const entry = entries.get(key)
      if (entry !== undefined && isHeld(entry, token)) write(key, { ...entry, claim: null })
    },
  }
}

/** Claims stay: their holders are about to write them, and they are few. */
function oldestWithoutClaim(entries: ReadonlyMap<string, Entry>, time: number): string | null {
  for (const [key, { claim }] of entries) if (claim === null || claim.until <= time) return key
  return null
}
