import type pg from 'pg'
import type { Clock, Timer } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import type { Connections } from './connections.ts'

/** The safety net under what the database announces. */
const LOOK_EVERY_MS = SECOND_MS
const LISTEN_AGAIN_AFTER_MS = SECOND_MS
/** A connection that listens and says nothing may be dead: it is asked this often. */
const ASK_EVERY_MS = 15 * SECOND_MS

export const changeSql = {
  horizon: `
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS from_xact, NULL::bigint[] AS ids`,
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
 * Tells which webhooks any node changed. What counts is a look at the table every second, from the oldest transaction
 * on that was under way at the look before: it misses nothing, whatever happened to connections meanwhile. The
 * database's announcements only make the next look come at once.
 */
export class ChangeWatch {
  readonly #connections: Connections
  readonly #clock: Clock
  readonly #channel: string
  readonly #onChanged: (webhookIds: readonly number[]) => void
  #fromXact: number | null = null
  #timer: Timer | null = null
  #listening: pg.Client | null = null
  #looking = false
  #again = false
  #stopped = false

  /** @param channel the name under which the database announces */
  constructor(params: {
    readonly connections: Connections
    readonly clock: Clock
    readonly channel: string
    readonly onChanged: (webhookIds: readonly number[]) => void
  }) {
    this.#connections = params.connections
    this.#clock = params.clock
    this.#channel = params.channel
    this.#onChanged = params.onChanged
  }

  start(): void {
    void this.#look()
    void this.#listen()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.cancel()
    await this.#listening?.end().catch(() => {})
  }

  async #look(): Promise<void> {
    this.#timer?.cancel()
    if (this.#stopped) return
    if (this.#looking) {
      this.#again = true
      return
    }
    this.#looking = true
    try {
      const from = this.#fromXact
      const look = await this.#connections.call({ pool: 'rest', isolation: 'none' }, (tx) =>
        from === null ? tx.row<Look>(changeSql.horizon) : tx.row<Look>(changeSql.changed, [from]),
      )
      this.#fromXact = look!.from_xact
      if (look!.ids !== null) this.#onChanged(look!.ids)
    } catch {
      // Whatever changed meanwhile is seen by a later look.
    }
    this.#looking = false
    if (this.#stopped) return
    const delay = this.#again ? 0 : LOOK_EVERY_MS
    this.#again = false
    this.#timer = this.#clock.after(delay, () => void this.#look())
  }

  async #listen(): Promise<void> {
    if (this.#stopped) return
    try {
      const client = await this.#connections.dedicated()
      this.#listening = client
      client.on('notification', () => void this.#look())
      await client.query(`LISTEN ${JSON.stringify(this.#channel)}`)
      await this.#stayConnected(client)
    } catch {
      // Looks go on without.
    }
    this.#listening = null
    if (!this.#stopped) this.#clock.after(LISTEN_AGAIN_AFTER_MS, () => void this.#listen())
  }

  /** Resolves when the connection is gone. */
  async #stayConnected(client: pg.Client): Promise<void> {
    await new Promise<void>((resolve) => {
      client.once('end', resolve)
      const ask = () => {
        if (this.#stopped || this.#listening !== client) return
        const patience = this.#clock.after(ASK_EVERY_MS, () => void client.end().catch(() => {}))
        client.query('SELECT 1').then(
          () => {
            patience.cancel()
            this.#clock.after(ASK_EVERY_MS, ask)
          },
          () => {},
        )
      }
      ask()
    })
  }
}
