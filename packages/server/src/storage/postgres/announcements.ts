import type pg from 'pg'
import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import { type Connections, endAtOnce } from './connections.ts'

const LISTEN_AGAIN_AFTER_MS = SECOND_MS
/** A silent connection may be dead: it is checked this often. */
const ASK_EVERY_MS = 15 * SECOND_MS

/** The payload of the notifications that triggers send. */
type Subject = 'webhooks' | 'credentials'

/**
 * Receives the notifications of the database, which it sends to all nodes after a commit. Notifications are lost while the
 * connection is down, so listeners also need to poll.
 */
export class Announcements {
  readonly #connections: Connections
  readonly #clock: Clock
  readonly #channel: string
  readonly #listeners = new Map<Subject, (() => void)[]>()
  #listening: Promise<void> | null = null
  #client: pg.Client | null = null
  #stopped = false

  /** @param channel the channel of the notifications */
  constructor(connections: Connections, clock: Clock, channel: string) {
    this.#connections = connections
    this.#clock = clock
    this.#channel = channel
  }

  /** The first call starts to listen. */
  on(subject: Subject, listener: () => void): void {
    this.#listeners.set(subject, [...(this.#listeners.get(subject) ?? []), listener])
    this.#listening ??= this.#listen()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#client !== null) endAtOnce(this.#client)
    await this.#listening
  }

  async #listen(): Promise<void> {
    if (this.#stopped) return
    try {
      await this.#hear(await this.#connections.dedicated())
    } catch {
      // The loop opens another connection.
    }
    this.#client = null
    if (this.#stopped) return
    this.#clock.after(LISTEN_AGAIN_AFTER_MS, () => {
      this.#listening = this.#listen()
    })
  }

  async #hear(client: pg.Client): Promise<void> {
    if (this.#stopped) return endAtOnce(client)
    this.#client = client
    const gone = new Promise<void>((resolve) => client.once('end', resolve))
    client.on('notification', ({ payload }) => {
      for (const listener of this.#listeners.get(payload as Subject) ?? []) listener()
    })
    this.#ask(client)
    await gone
  }

  /** A second LISTEN changes nothing, and shows whether the connection is alive. */
  #ask(client: pg.Client): void {
    if (this.#stopped || this.#client !== client) return
    const disconnect = () => endAtOnce(client)
    const patience = this.#clock.after(ASK_EVERY_MS, disconnect)
    const answered = () => {
      patience.cancel()
      this.#clock.after(ASK_EVERY_MS, () => this.#ask(client))
    }
    client.query(`LISTEN ${JSON.stringify(this.#channel)}`).then(answered, disconnect)
  }
}
