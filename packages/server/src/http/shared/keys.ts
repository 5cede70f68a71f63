import { hash } from 'node:crypto'
import type { Clock, Timer } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import type { Logger } from '../../engine/logger.ts'
import type { ApiKey, Workspace } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'

/** How long another node may go on accepting a key after it was revoked on this one. */
const TTL_MS = 5 * SECOND_MS
const MAX_ENTRIES = 10_000
const FLUSH_AFTER_MS = 30 * SECOND_MS

/** What a key opens. */
export interface KeyEntry {
  readonly key: ApiKey
  readonly workspace: Workspace
}

interface CacheEntry extends KeyEntry {
  readonly freshUntil: number
}

/** The form of a key: `phk_` and 32 random bytes in base64url. */
const KEY_FORM = /^phk_[A-Za-z0-9_-]{43}$/

export const isKeyForm = (text: string) => KEY_FORM.test(text)

/** A key is 256 random bits, so a plain hash of it can be neither reversed nor guessed; no salt, no stretching. */
export const hashKey = (key: string) => hash('sha256', key, 'buffer')

/**
 * Looks keys up by their hash and remembers them for a few seconds, and notes when each was last used.
 * Comparing takes no secret-dependent time: what is looked up is a hash that a caller cannot steer.
 */
export class KeyRing {
  readonly #storage: Pick<Storage, 'findKey' | 'touchKeys'>
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #cache = new Map<string, CacheEntry>()
  readonly #uses = new Map<number, number>()
  #flushTimer: Timer | null = null
  /** Goes up with every change to keys, so that a look-up that began before it is not remembered after it. */
  #generation = 0

  constructor(storage: Pick<Storage, 'findKey' | 'touchKeys'>, clock: Clock, logger: Logger) {
    this.#storage = storage
    this.#clock = clock
    this.#logger = logger
  }

  /** The entry of a key that was looked up a moment ago. */
  cached(keyText: string): KeyEntry | null {
    const name = hash('sha256', keyText, 'base64')
    const entry = this.#cache.get(name)
    if (entry === undefined) return null
    if (entry.freshUntil > this.#clock.monotonic()) return entry
    this.#cache.delete(name)
    return null
  }

  async find(keyText: string): Promise<KeyEntry | null> {
    const generation = this.#generation
    const found = await this.#storage.findKey({ hash: hashKey(keyText) })
    if (found !== null && generation === this.#generation) {
      this.#makeRoom()
      const freshUntil = this.#clock.monotonic() + TTL_MS
      this.#cache.set(hash('sha256', keyText, 'base64'), { ...found, freshUntil })
    }
    return found
  }

  /** Forgets what was looked up. Changes to keys are rare, so there is no need to be choosy. */
  forget(): void {
    this.#generation += 1
    this.#cache.clear()
  }

  noteUse(keyId: number): void {
    this.#uses.set(keyId, this.#clock.now())
    this.#flushTimer ??= this.#clock.after(FLUSH_AFTER_MS, () => void this.flush())
  }

  /** Writes down last uses. They inform people and decide nothing, so a failure is logged and forgotten. */
  async flush(): Promise<void> {
    this.#flushTimer?.cancel()
    this.#flushTimer = null
    if (this.#uses.size === 0) return
    const uses = [...this.#uses].map(([keyId, at]) => ({ keyId, at }))
    this.#uses.clear()
    try {
      await this.#storage.touchKeys({ uses })
    } catch (error) {
      this.#logger.warn({ err: error, keys: uses.length }, 'last uses of keys were not written')
    }
  }

  /** Entries all live equally long, so the first in the map is the one that ends first. */
  #makeRoom(): void {
    if (this.#cache.size < MAX_ENTRIES) return
    const oldest = this.#cache.keys().next()
    if (oldest.done !== true) this.#cache.delete(oldest.value)
  }
}
