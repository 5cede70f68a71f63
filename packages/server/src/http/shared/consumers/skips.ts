import { BoundedMap } from '../../../core/boundedMap.ts'
import type { Clock } from '../../../core/clock.ts'
import { MINUTE_MS } from '../../../core/duration.ts'
import type { Consumer } from '../../../storage/rows.ts'
import { type EventPosition, isAhead, type Storage } from '../../../storage/storage.ts'

/** Minimum time between two moves of a consumer, unless many events were skipped. */
const SKIP_EVERY_MS = MINUTE_MS
const MAX_REMEMBERED = 10_000

/**
 * Moves consumers past events that do not match, so that their readers do not skip the same ones again. It does so now and
 * then, so that reading needs few writes.
 */
export class Skips {
  readonly #storage: Pick<Storage['consumers'], 'skipUnwanted'>
  readonly #clock: Pick<Clock, 'monotonic'>
  /** By consumer, on the monotonic clock. */
  readonly #skippedAt = new BoundedMap<number, number>(MAX_REMEMBERED)

  constructor(storage: Pick<Storage['consumers'], 'skipUnwanted'>, clock: Pick<Clock, 'monotonic'>) {
    this.#storage = storage
    this.#clock = clock
  }

  /**
   * To be called when nothing that the consumer wants lies between its place and another.
   * @param many whether so many events were passed over that it is moved at once
   */
  async skip(consumer: Consumer, to: EventPosition, many: boolean): Promise<void> {
    const { id, workspaceId, generation, position: from } = consumer
    if (consumer.eventTypes === null || !isAhead(to, from)) return
    const now = this.#clock.monotonic()
    const last = this.#skippedAt.get(id)
    if (last === undefined) this.#skippedAt.set(id, now)
    if (!many && (last === undefined || now - last < SKIP_EVERY_MS)) return
    this.#skippedAt.set(id, now)
    await this.#storage.skipUnwanted({ workspaceId, id, generation, from, to })
  }
}
