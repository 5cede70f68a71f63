import type { Dialect } from '../../core/dialect.ts'
import { deriveId, type IdKey, type RowRef, resolveId } from '../../core/ids.ts'
import type { Storage } from '../../storage/storage.ts'

const BLOCK = 10_000

/**
 * Row ids for new events, taken from blocks that the store reserved. An ads envelope contains its own event id, so the id must
 * be known before the row is written. Ids of a block that are left over after a crash are never used.
 */
export class EventIds {
  readonly #storage: Pick<Storage, 'idKey' | 'sending'>
  readonly #key: IdKey
  #next = 0
  #end = 0
  #reserving: Promise<void> | null = null

  constructor(storage: Pick<Storage, 'idKey' | 'sending'>) {
    this.#storage = storage
    this.#key = storage.idKey
  }

  /** @returns the first of `count` consecutive row ids; `null` when the block has fewer left. */
  take(count: number): number | null {
    if (this.#end - this.#next < count) return null
    const first = this.#next
    this.#next += count
    return first
  }

  /** Like {@link take}, after fetching a new block. @param count at most 1,000 */
  async reserve(count: number): Promise<number> {
    for (;;) {
      this.#reserving ??= this.#fetch()
      await this.#reserving
      const first = this.take(count)
      if (first !== null) return first
    }
  }

  format(dialect: Dialect, row: RowRef): string {
    return dialect.ids.event.format(deriveId('event', row, this.#key))
  }

  /** @returns the row of an id that was derived here, or `null`. */
  resolve(dialect: Dialect, id: string): number | null {
    const bytes = dialect.ids.event.parse(id)
    return bytes === null ? null : (resolveId('event', bytes, this.#key)?.rowId ?? null)
  }

  async #fetch(): Promise<void> {
    try {
      this.#next = await this.#storage.sending.reserveEventIds({ count: BLOCK })
      this.#end = this.#next + BLOCK
    } finally {
      this.#reserving = null
    }
  }
}
