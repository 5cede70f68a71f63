import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import type { Storage } from '../../storage/storage.ts'
import { CachedRead } from '../cachedRead.ts'

/** Consumers per call. */
const CHUNK = 50
/** Events that are counted per consumer. */
const MOST_EVENTS = 1_000
/**
 * One check ends after this time: at most a twentieth of the time, however many callers there are. The next one continues
 * there.
 */
const CHECK_MS = SECOND_MS / 4

/** The state of all consumers of the store. */
export interface ConsumersState {
  readonly consumers: number
  /** Events that are not acknowledged, at least. */
  readonly unacknowledged: number
  /** When the first of all of them was accepted, Unix ms; `null`: there is none. */
  readonly oldestAt: number | null
  /** Consumers that lost events and have not acknowledged it. */
  readonly withGap: number
}

const NONE: ConsumersState = { consumers: 0, unacknowledged: 0, oldestAt: null, withGap: 0 }

interface Params {
  readonly storage: Pick<Storage['consumers'], 'walkConsumers' | 'consumerLags'>
  readonly clock: Clock
}

/** Checks all consumers in rounds; a long round takes several checks. */
export class ConsumerWatch {
  readonly #storage: Params['storage']
  readonly #clock: Clock
  readonly #shared: CachedRead<ConsumersState>
  #after = 0
  #round = NONE
  /** `null`: no round has finished yet. */
  #last: ConsumersState | null = null

  constructor({ storage, clock }: Params) {
    this.#storage = storage
    this.#clock = clock
    this.#shared = new CachedRead(clock, () => this.#check())
  }

  current(): Promise<ConsumersState> {
    return this.#shared.current()
  }

  async #check(): Promise<ConsumersState> {
    const until = this.#clock.monotonic() + CHECK_MS
    do {
      if (await this.#step()) break
    } while (this.#clock.monotonic() < until)
    return this.#last ?? this.#round
  }

  /** @returns whether the round has finished */
  async #step(): Promise<boolean> {
    const consumers = await this.#storage.walkConsumers({ after: this.#after, limit: CHUNK })
    const lags = await this.#storage.consumerLags({ consumers, most: MOST_EVENTS })
    const oldest = lags.flatMap(({ oldestAt }) => oldestAt ?? [])
    const { oldestAt } = this.#round
    this.#round = {
      consumers: this.#round.consumers + consumers.length,
      unacknowledged: this.#round.unacknowledged + lags.reduce((sum, { events }) => sum + events, 0),
      oldestAt: oldest.reduce<number | null>((first, at) => Math.min(first ?? at, at), oldestAt),
      withGap: this.#round.withGap + consumers.filter(({ lost, lostSeen }) => lost > lostSeen).length,
    }
    this.#after = consumers.at(-1)?.id ?? 0
    if (consumers.length === CHUNK) return false
    this.#last = this.#round
    this.#round = NONE
    this.#after = 0
    return true
  }
}
