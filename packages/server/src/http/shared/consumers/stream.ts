import type { ServerResponse } from 'node:http'
import type { Clock } from '../../../core/clock.ts'
import type { Consumer } from '../../../storage/rows.ts'
import { type EventPosition, type FeedEvent, isAhead } from '../../../storage/storage.ts'
import { EventStream } from '../live/eventStream.ts'
import type { ConsumerReaders } from './readers.ts'
import { gapOf } from './reading.ts'

/** Limit of one read, which waits in memory for a slow client; one event may be larger. */
export const STREAM_PAGE = { limit: 20, maxBytes: 64 * 1024 } as const

/** The dependencies of a stream. */
export interface StreamSource {
  readonly read: (
    consumer: Consumer,
    after: EventPosition,
  ) => Promise<{
    readonly events: readonly FeedEvent[]
    readonly reached: EventPosition
    readonly more: boolean
  }>
  /** The consumer as it is now; `null`: it is gone. */
  readonly reread: () => Promise<Consumer | null>
  /** Whether the client may still read. */
  readonly isAuthorized: () => Promise<boolean>
  readonly token: (consumer: Consumer, position: EventPosition) => string
  readonly eventText: (consumer: Consumer, event: FeedEvent) => string
  readonly gapText: (consumer: Consumer) => string
  /** Called when no event between the consumer's position and another one matches. */
  readonly passedOver: (consumer: Consumer, to: EventPosition, more: boolean) => Promise<void>
  readonly onError: (error: unknown) => void
}

/**
 * Server-sent events of one consumer, from a position on. It reads more only when the client has received the data so far, and
 * waits together with all other readers of the workspace.
 */
export class ConsumerStream {
  readonly out: EventStream
  readonly #source: StreamSource
  readonly #readers: ConsumerReaders
  readonly #leave: () => void
  #consumer: Consumer
  #place: EventPosition
  /** Of the last event that was sent. */
  #sent: EventPosition
  /** The consumer's losses that the client knows of, or another reader has acknowledged. */
  #sentLost: number
  /** How far all that was awaited can be read. */
  #head: EventPosition
  #busy = false
  #checking = false
  #unwatch: (() => void) | null = null

  /** @param from at the consumer's place or behind it @throws Problem when there are too many */
  constructor(
    readers: ConsumerReaders,
    source: StreamSource,
    { consumer, from }: { readonly consumer: Consumer; readonly from: EventPosition },
    { response, clock }: { readonly response: ServerResponse; readonly clock: Clock },
  ) {
    this.#readers = readers
    this.#source = source
    this.#consumer = consumer
    this.#place = from
    this.#sent = from
    this.#head = from
    this.#sentLost = consumer.lostSeen
    const { workspaceId, id: consumerId } = consumer
    this.#leave = readers.enter({
      kind: 'stream',
      workspaceId,
      consumerId,
      tick: () => this.out.tick(),
      check: () => this.#check(),
      end: () => this.out.end(),
    })
    this.out = new EventStream(response, clock, () => this.#goOn())
    this.out.body.once('close', () => {
      this.#leave()
      this.#stopWaiting()
    })
  }

  #goOn(): void {
    if (this.#busy || this.#unwatch !== null || !this.out.takesMore) return
    this.#busy = true
    this.#sendNext()
      .catch((error: unknown) => {
        this.#source.onError(error)
        this.out.end()
      })
      .finally(() => {
        this.#busy = false
        // The client may have received the data in the meantime.
        this.#goOn()
      })
  }

  async #sendNext(): Promise<void> {
    this.#tellGap()
    if (!this.out.takesMore) return
    const { events, reached, more } = await this.#source.read(this.#consumer, this.#place)
    // Losses that were counted meanwhile are sent before the next events; until then nothing acknowledges them.
    const known = { ...this.#consumer, lost: this.#sentLost }
    for (const event of events) {
      const id = this.#source.token(known, event.position)
      this.out.send({ id, data: this.#source.eventText(known, event) })
      this.#sent = event.position
    }
    this.#readers.observer.handedOut('stream', events.length)
    if (isAhead(reached, this.#place)) this.#place = reached
    if (events.length > 0 || more) return
    // The awaited events may have been removed since.
    if (isAhead(this.#head, this.#place)) this.#place = this.#head
    this.#await()
  }

  #tellGap(): void {
    const { lost } = this.#consumer
    if (lost <= this.#sentLost) return
    this.#sentLost = lost
    // Another reader of the consumer has acknowledged it.
    if (gapOf(this.#consumer) === 0) return
    const id = this.#source.token(this.#consumer, this.#place)
    this.out.send({ id, event: 'gap', data: this.#source.gapText(this.#consumer) })
  }

  #await(): void {
    const { workspaceId, eventTypes } = this.#consumer
    let woken = false
    const unwatch = this.#readers.tails.watch({ workspaceId, eventTypes, place: this.#place }, (head) => {
      woken = true
      this.#head = head
      this.#stopWaiting()
      this.#goOn()
    })
    if (woken) unwatch()
    else this.#unwatch = unwatch
  }

  #stopWaiting(): void {
    this.#unwatch?.()
    this.#unwatch = null
  }

  /** Ends if the client may not read any more, or the consumer was moved or deleted. */
  async #check(): Promise<void> {
    if (this.#checking) return
    this.#checking = true
    try {
      if (!(await this.#source.isAuthorized())) return this.out.end()
      const consumer = await this.#source.reread()
      const { id, generation } = this.#consumer
      if (consumer === null || consumer.id !== id || consumer.generation !== generation) return this.out.end()
      this.#consumer = consumer
      if (!this.#busy) this.#tellGap()
      const isDone = !isAhead(this.#sent, consumer.position)
      if (isDone && this.#unwatch !== null) await this.#source.passedOver(consumer, this.#place, false)
    } catch (error) {
      // The store does not answer: nothing is sent until the next check.
      this.#source.onError(error)
    } finally {
      this.#checking = false
    }
  }
}
