import type { Clock, Timer } from '../../../core/clock.ts'
import { SECOND_MS } from '../../../core/duration.ts'
import { QUOTAS } from '../../../core/quotas.ts'
import { StoppingError } from '../../../engine/engine.ts'
import type { Logger } from '../../../engine/log/logger.ts'
import type { EventPosition, Storage } from '../../../storage/storage.ts'
import { Problem } from '../problems.ts'
import { type Awaited, FeedTails } from './feedTails.ts'

/** Requests that wait, and streams, of this node. */
const MAX_READERS = 1_000
const RETRY_AFTER_SECONDS = '5'
const TICK_MS = SECOND_MS
/**
 * How often the state of a stream is checked, in ticks; each tick checks a part of the streams, to spread the load on the
 * store.
 */
const TICKS_PER_CHECK = 5

export const READER_KINDS = ['request', 'stream'] as const
type ReaderKind = (typeof READER_KINDS)[number]

/** Activity of readers of consumers, for metrics. */
export interface ConsumerObserver {
  /** @param change 1 when one begins to wait or to stream, -1 when it ends */
  reader(kind: ReaderKind, change: 1 | -1): void
  handedOut(kind: ReaderKind, events: number): void
  acknowledged(outcome: 'moved' | 'unchanged' | 'outdated'): void
}

/** A reader that waits for events of a workspace. */
export interface Reader {
  readonly kind: ReaderKind
  readonly workspaceId: number
  readonly consumerId: number
  /** Called every second. */
  readonly tick?: () => void
  /** Called every five seconds, and when credentials or the consumer have changed: continues only if it still may. */
  readonly check?: () => Promise<void>
  /** Ends it immediately. */
  readonly end: () => void
}

interface Params {
  readonly storage: Pick<Storage['consumers'], 'lookAhead'>
  readonly clock: Clock
  readonly logger: Logger
  readonly observer: ConsumerObserver
  /** Limit of readers of one workspace, less than that of a node so that others have some. */
  readonly maxOfWorkspace: () => number
}

/** The readers of consumers on this node: those that wait in a request, and those that have a stream open. */
export class ConsumerReaders {
  readonly tails: FeedTails
  readonly observer: ConsumerObserver
  readonly #clock: Clock
  readonly #maxOfWorkspace: () => number
  /** Each with the tick at which it is checked. */
  readonly #open = new Map<Reader, number>()
  readonly #counts = new Map<number, number>()
  #timer: Timer | null = null
  #ticks = 0
  #entered = 0
  #ended = false

  constructor({ storage, clock, logger, observer, maxOfWorkspace }: Params) {
    this.tails = new FeedTails(storage, clock, logger)
    this.observer = observer
    this.#clock = clock
    this.#maxOfWorkspace = maxOfWorkspace
  }

  /**
   * @returns a function that removes it again
   * @throws Problem when there are too many; StoppingError
   */
  enter(reader: Reader): () => void {
    const { kind, workspaceId } = reader
    this.#makeSure(workspaceId)
    this.#open.set(reader, this.#entered++ % TICKS_PER_CHECK)
    this.#counts.set(workspaceId, this.#countOf(workspaceId) + 1)
    this.observer.reader(kind, 1)
    this.#timer ??= this.#clock.after(TICK_MS, () => this.#tick())
    return () => {
      if (!this.#open.delete(reader)) return
      this.#leave(workspaceId)
      this.observer.reader(kind, -1)
    }
  }

  /**
   * Waits in a request for an event.
   * @param onClosed registers a callback for when the client disconnects
   * @returns how far the feed can be read; `null`: the wait timed out, or the client is gone
   * @throws Problem when too many wait; StoppingError
   */
  wait(
    awaited: Awaited & { readonly consumerId: number },
    timeoutMs: number,
    onClosed: (listener: () => void) => () => void,
  ): Promise<EventPosition | null> {
    return new Promise((resolve) => {
      let ends: (() => void)[] = []
      const finish = (head: EventPosition | null) => {
        for (const end of ends) end()
        ends = []
        resolve(head)
      }
      const { workspaceId, consumerId } = awaited
      ends = [this.enter({ kind: 'request', workspaceId, consumerId, end: () => finish(null) })]
      const timer = this.#clock.after(timeoutMs, () => finish(null))
      ends.push(
        () => timer.cancel(),
        onClosed(() => finish(null)),
      )
      let woken = false
      const unwatch = this.tails.watch(awaited, (head) => {
        woken = true
        finish(head)
      })
      // It may have been woken before there was anything to end.
      if (woken) unwatch()
      else ends.push(unwatch)
    })
  }

  /** Ends all readers, for good. */
  async end(): Promise<void> {
    this.#ended = true
    this.#timer?.cancel()
    this.#timer = null
    for (const { end } of [...this.#open.keys()]) end()
    await this.tails.settled()
  }

  /** Call this when credentials have changed. */
  checkAll(): void {
    for (const { check } of this.#open.keys()) void check?.()
  }

  /** Call this when a consumer was moved or deleted on this node. */
  changed(consumerId: number): void {
    for (const reader of this.#open.keys()) if (reader.consumerId === consumerId) void reader.check?.()
  }

  #countOf(workspaceId: number): number {
    return this.#counts.get(workspaceId) ?? 0
  }

  #leave(workspaceId: number): void {
    const count = this.#countOf(workspaceId) - 1
    if (count === 0) this.#counts.delete(workspaceId)
    else this.#counts.set(workspaceId, count)
  }

  #makeSure(workspaceId: number): void {
    if (this.#ended) throw new StoppingError()
    const headers = { 'retry-after': RETRY_AFTER_SECONDS }
    const max = this.#maxOfWorkspace()
    if (this.#countOf(workspaceId) >= max) {
      const detail = `A workspace can have at most ${max} streams and waiting requests of consumers at a time on a node. End one first, or ask the operator to raise ${QUOTAS.readers.variable}.`
      throw new Problem('too_many_readers', detail, { headers })
    }
    if (this.#open.size >= MAX_READERS)
      throw new Problem(
        'readers_taken',
        `This node has ${MAX_READERS} streams and waiting requests of consumers, which is the maximum. Retry in ${RETRY_AFTER_SECONDS} seconds, or read without the parameter wait.`,
        {
          headers,
        },
      )
  }

  #tick(): void {
    this.#ticks += 1
    const turn = this.#ticks % TICKS_PER_CHECK
    for (const [{ tick, check }, checkedAt] of [...this.#open]) {
      tick?.()
      if (checkedAt === turn) void check?.()
    }
    this.#timer = this.#open.size === 0 ? null : this.#clock.after(TICK_MS, () => this.#tick())
  }
}
