import { hash } from 'node:crypto'
import { BoundedMap } from '../../core/boundedMap.ts'
import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'

/** How long a credential that another node revoked may still be accepted, if the announcement is lost. */
const TTL_MS = 5 * SECOND_MS
const MAX_ENTRIES = 10_000

interface Entry<Found> {
  readonly found: Found
  readonly freshUntil: number
}

/** Caches looked-up credentials for a few seconds, by their hashes. */
export class RecentlyFound<Found extends object> {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #entries = new BoundedMap<string, Entry<Found>>(MAX_ENTRIES)
  /** Increased with every change to credentials, so that a look-up that began before a change is not cached after it. */
  #generation = 0

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  get(text: string): Found | null {
    const name = nameOf(text)
    const entry = this.#entries.get(name)
    if (entry === undefined) return null
    if (entry.freshUntil > this.#clock.monotonic()) return entry.found
    this.#entries.delete(name)
    return null
  }

  /** @param look reads the store; its result is cached */
  async find(text: string, look: () => Promise<Found | null>): Promise<Found | null> {
    const generation = this.#generation
    const found = await look()
    if (found !== null && generation === this.#generation)
      this.#entries.set(nameOf(text), { found, freshUntil: this.#clock.monotonic() + TTL_MS })
    return found
  }

  forget(): void {
    this.#generation += 1
    this.#entries.clear()
  }
}

const nameOf = (text: string): string => hash('sha256', text, 'base64')
