import type { Clock, Timer } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import type { Connections } from './connections.ts'

/** Changes whose announcement was lost are found within this time. */
const LOOK_EVERY_MS = SECOND_MS

export const changeSql = {
  horizon: 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS from_xact',
  changed: `
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS from_xact,
      (SELECT array_agg(id) FROM webhooks WHERE changed_xact >= $1
        AND changed_xact < pg_snapshot_xmax(pg_current_snapshot())::text::bigint) AS ids`,
}

interface Look {
  readonly from_xact: number
  readonly ids: readonly number[] | null
}

/**
 * Finds the webhooks that any node changed. It reads the table every second, from the oldest transaction that was in progress
 * at the last read, so that it misses nothing even if connections broke. Notifications only trigger the next read sooner.
 */
export class ChangeWatch {
  readonly #connections: Connections
  readonly #clock: Clock
  readonly #onChanged: (webhookIds: readonly number[]) => void
  readonly #onLooked: (error: unknown) => void
  #fromXact: number
  #timer: Timer | null = null
  #looking = false
  #again = false
  #stopped = false

  constructor(params: {
    readonly connections: Connections
    readonly clock: Clock
    /** See {@link readHorizon}; read before any data that a change may outdate. */
    readonly fromXact: number
    readonly onChanged: (webhookIds: readonly number[]) => void
    readonly onLooked: (error: unknown) => void
  }) {
    this.#connections = params.connections
    this.#clock = params.clock
    this.#fromXact = params.fromXact
    this.#onChanged = params.onChanged
    this.#onLooked = params.onLooked
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  /** Reads now, and from then on every second. */
  async look(): Promise<void> {
    this.#timer?.cancel()
    if (this.#stopped) return
    if (this.#looking) {
      this.#again = true
      return
    }
    this.#looking = true
    try {
      const look = await this.#connections.call({ pool: 'rest', isolation: 'none' }, (tx) =>
        tx.row<Look>(changeSql.changed, [this.#fromXact]),
      )
      this.#fromXact = look!.from_xact
      if (look!.ids !== null) this.#onChanged(look!.ids)
      this.#onLooked(null)
    } catch (error) {
      // A later read finds changes that were made in the meantime.
      if (!this.#stopped) this.#onLooked(error)
    }
    this.#looking = false
    if (this.#stopped) return
    const delay = this.#again ? 0 : LOOK_EVERY_MS
    this.#again = false
    this.#timer = this.#clock.after(delay, () => void this.look())
  }
}

/** @returns the oldest transaction in progress: reads from now on see all earlier ones */
export async function readHorizon(connections: Connections): Promise<number> {
  const row = await connections.call({ pool: 'rest', isolation: 'none' }, (tx) =>
    tx.row<Pick<Look, 'from_xact'>>(changeSql.horizon),
  )
  return row!.from_xact
}
