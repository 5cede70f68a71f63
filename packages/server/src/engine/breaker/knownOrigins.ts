import { BoundedMap } from '../../core/boundedMap.ts'
import { DAY_MS } from '../../core/duration.ts'
import type { Destination } from '../egress/index.ts'
import { MIN_ADDRESSES, MIN_WORKSPACES } from './verdict.ts'

/** Origins that are kept in mind. All of them are looked at for some to ask, which takes less than a millisecond. */
const MAX_ORIGINS = 1_000
/** An origin that answered longer ago than this may be gone for good. */
const KNOWN_FOR_MS = DAY_MS

/** A server that deliveries go to. */
export type Origin = Pick<Destination, 'origin' | 'target' | 'workspaceId'>

interface Known {
  readonly origin: Origin
  /** Monotonic ms. */
  answeredAt: number
  /** Whether its latest attempt failed without an answer. */
  failed: boolean
}

/** The origins that answered lately, for questions whether our way out is open. */
export class KnownOrigins {
  readonly #known = new BoundedMap<string, Known>(MAX_ORIGINS)
  readonly #workspaces = new Set<number>()

  /** @param at monotonic ms */
  answered(origin: Origin, at: number): void {
    const known = this.#known.get(origin.origin)
    if (known === undefined) {
      this.#known.set(origin.origin, { origin, answeredAt: at, failed: false })
      if (this.#workspaces.size < MIN_WORKSPACES) this.#workspaces.add(origin.workspaceId)
    } else {
      known.answeredAt = at
      known.failed = false
    }
  }

  /** Whether there may be enough of them to tell by. */
  get mayTell(): boolean {
    return this.#known.size >= MIN_ADDRESSES && this.#workspaces.size >= MIN_WORKSPACES
  }

  failed({ origin }: Origin): void {
    const known = this.#known.get(origin)
    if (known !== undefined) known.failed = true
  }

  /**
   * Some that answered within a day: first those that have not failed since, and of as many workspaces as possible.
   * @param now monotonic ms @param random in [0, 1)
   */
  some(count: number, now: number, random: () => number): Origin[] {
    const lately = [...this.#known.values()].filter(({ answeredAt }) => now - answeredAt <= KNOWN_FOR_MS)
    const drawn = lately
      .map(({ origin, failed }) => ({ origin, order: (failed ? 1 : 0) + random() }))
      .sort((a, b) => a.order - b.order)
      .map(({ origin }) => origin)
    const workspaces = new Set<number>()
    const isFirstOfItsWorkspace = ({ workspaceId }: Origin) =>
      !workspaces.has(workspaceId) && workspaces.add(workspaceId) !== undefined
    const firsts = drawn.filter(isFirstOfItsWorkspace)
    return [...firsts, ...drawn.filter((origin) => !firsts.includes(origin))].slice(0, count)
  }
}
