import { closeSync, openSync, readSync } from 'node:fs'
import os from 'node:os'
import type { Clock, Timer } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import type { Channel } from './channel.ts'
import { databaseFile } from './dataDirectory.ts'

/** At this many pages the log is written back into the database file. Many, since most pages change repeatedly. */
const LONG_PAGES = 10_000
const LOOK_EVERY_MS = 250
/** If no thread can be started, for lack of memory or file descriptors, this is the wait before the next attempt. */
const START_AGAIN_AFTER_MS = 10 * SECOND_MS

/**
 * Keeps the write-ahead log short. Writing back 80 MB takes a tenth of a second or more, during which the writer could not
 * commit. So a separate thread does it, and leaves only the newest commits to the writer. The thread is started when it is
 * first needed.
 */
export class Checkpoints {
  readonly #dataDir: string
  readonly #clock: Clock
  readonly #writer: Pick<Channel, 'checkpoint'>
  readonly #openThread: () => Channel
  #thread: Channel | null = null
  /** Monotonic time before which no further thread is started. */
  #noThreadBefore = Number.NEGATIVE_INFINITY
  #index: number | null = null
  #timer: Timer | null = null
  #folding: Promise<void> | null = null
  #stopped = false

  constructor(params: {
    readonly dataDir: string
    readonly clock: Clock
    readonly writer: Pick<Channel, 'checkpoint'>
    readonly openThread: () => Channel
  }) {
    this.#dataDir = params.dataDir
    this.#clock = params.clock
    this.#writer = params.writer
    this.#openThread = params.openThread
  }

  start(): void {
    this.#timer = this.#clock.after(LOOK_EVERY_MS, () => {
      void this.#look().finally(() => {
        if (!this.#stopped) this.start()
      })
    })
  }

  /** Waits for a running checkpoint. The writer's connection must still be open. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.cancel()
    await this.#folding
    await this.#thread?.close()
  }

  /** Call this after all connections are closed: closing a file of the database drops this process's locks on it. */
  letGo(): void {
    if (this.#index !== null) closeSync(this.#index)
    this.#index = null
  }

  async #look(): Promise<void> {
    if (this.#pagesInLog() < LONG_PAGES) return
    this.#folding = this.#fold()
    await this.#folding
    this.#folding = null
  }

  /** Never fails: the rest is left to the next check. */
  async #fold(): Promise<void> {
    const thread = await this.#running()
    await thread?.checkpoint()
    // Again, for newer commits: less is left to the writer.
    await thread?.checkpoint()
    await this.#writer.checkpoint()
  }

  /** @returns the thread, started if necessary; `null`: it cannot be started, and the writer does everything */
  async #running(): Promise<Channel | null> {
    if (this.#thread !== null && !this.#thread.ended) return this.#thread
    const now = this.#clock.monotonic()
    if (now < this.#noThreadBefore) return null
    this.#noThreadBefore = now + START_AGAIN_AFTER_MS
    try {
      this.#thread = this.#openThread()
      await this.#thread.ready()
      return this.#thread
    } catch {
      return null
    }
  }

  /** From the log's index, which all connections share (https://www.sqlite.org/walformat.html, section 2.1). */
  #pagesInLog(): number {
    const field = new DataView(new ArrayBuffer(4))
    try {
      this.#index ??= openSync(`${databaseFile(this.#dataDir)}-shm`, 'r')
      readSync(this.#index, field, 0, 4, MAX_FRAME_AT)
    } catch {
      // Without it, only the limit of the writer's connection keeps the log from growing.
      return 0
    }
    return field.getUint32(0, os.endianness() === 'LE')
  }
}

const MAX_FRAME_AT = 16
