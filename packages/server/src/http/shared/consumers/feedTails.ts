import type { Clock } from '../../../core/clock.ts'
import type { Logger } from '../../../engine/log/logger.ts'
import { type EventPosition, isAhead, type Storage } from '../../../storage/storage.ts'
import { ListPoller } from '../live/listPoller.ts'

/** What one look found behind a place of a feed. */
interface Tail {
  readonly after: EventPosition
  /** How far it looked. */
  readonly next: EventPosition
  /** Of the events up to there. */
  readonly types: ReadonlySet<string>
}

/** Events that a reader waits for. */
export interface Awaited {
  readonly workspaceId: number
  /** Behind this place. */
  readonly place: EventPosition
  /** `null`: of every type. */
  readonly eventTypes: readonly string[] | null
}

type ConsumerReads = Pick<Storage['consumers'], 'lookAhead'>

/**
 * Polls for new events of workspaces with waiting readers: once for all readers of a workspace, so that the cost does not
 * depend on their number.
 */
export class FeedTails {
  readonly #storage: ConsumerReads
  readonly #poller: ListPoller<Tail>

  constructor(storage: ConsumerReads, clock: Clock, logger: Logger) {
    this.#storage = storage
    this.#poller = new ListPoller(clock, logger)
  }

  /**
   * @param wake called once, when there may be an event that is awaited. All that is shown up to `head` can be read then.
   * @returns a function that ends it
   */
  watch({ workspaceId, place, eventTypes }: Awaited, wake: (head: EventPosition) => void): () => void {
    let seen = place
    let awake = false
    const see = ({ after, next, types }: Tail) => {
      if (awake || !isAhead(next, seen)) return
      // What lies before the look is not known.
      const isWanted =
        isAhead(after, seen) || eventTypes === null || eventTypes.some((type) => types.has(type))
      seen = next
      if (!isWanted) return
      awake = true
      wake(next)
    }
    return this.#poller.watch(String(workspaceId), this.#reader(workspaceId, place), see)
  }

  /** Call this when an event was published to a workspace on this node. */
  published(workspaceId: number): void {
    this.#poller.hurry(String(workspaceId))
  }

  /** Resolves when no poll is in progress. */
  settled(): Promise<void> {
    return this.#poller.settled()
  }

  #reader(workspaceId: number, from: EventPosition): () => Promise<Tail> {
    let after = from
    return async () => {
      const { types, next, more } = await this.#storage.lookAhead({ workspaceId, after })
      const tail = { after, next, types: new Set(types) }
      after = next
      if (more) this.published(workspaceId)
      return tail
    }
  }
}
