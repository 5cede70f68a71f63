import { BoundedMap } from '../../core/boundedMap.ts'
import { DAY_MS, MINUTE_MS } from '../../core/duration.ts'
import type { Destination } from '../egress/index.ts'
import type { ToAsk } from './inquiry.ts'
import { MIN_ADDRESSES, MIN_WORKSPACES } from './verdict.ts'

/** Origins in memory at most. Choosing some to probe goes through all of them, which takes less than a millisecond. */
const MAX_ORIGINS = 1_000
/** An origin that last answered longer ago may be gone for good. */
const KNOWN_FOR_MS = DAY_MS
/** Precision of the time of the last answer, so that most answers change nothing. */
const EXACT_TO_MS = MINUTE_MS

/** A server that deliveries go to. */
export type Origin = Pick<Destination, 'origin' | 'target' | 'workspaceId'>

interface Known extends ToAsk {
  readonly workspaceIds: readonly number[]
  /** Monotonic ms. */
  readonly answeredAt: number
  /** Whether its latest attempt, or a probe while others answered, failed without a response. */
  failed: boolean
}

export const originToAsk = ({ origin: name, target, workspaceId }: Origin) => ({
  name,
  target,
  workspaceIds: [workspaceId],
})

/** The origins that answered recently, as candidates for probes. */
export class KnownOrigins {
  readonly #known = new BoundedMap<string, Known>(MAX_ORIGINS)

  /** @param at monotonic ms */
  answered(origin: Origin, at: number): void {
    const known = this.#known.get(origin.origin)
    const workspaceIds = withOneMore(known?.workspaceIds ?? [], origin.workspaceId)
    if (known !== undefined) known.failed = false
    if (known?.workspaceIds === workspaceIds && at - known.answeredAt < EXACT_TO_MS) return
    this.#known.set(origin.origin, { ...originToAsk(origin), workspaceIds, answeredAt: at, failed: false })
  }

  /** @param now monotonic ms @returns whether there may be enough origins for a verdict */
  mayTell(now: number): boolean {
    let addresses = 0
    const workspaces = new Set<number>()
    for (const { name, answeredAt, workspaceIds } of this.#known.values()) {
      if (now - answeredAt > KNOWN_FOR_MS) {
        this.#known.delete(name)
        continue
      }
      addresses++
      for (const id of workspaceIds) workspaces.add(id)
      if (addresses >= MIN_ADDRESSES && workspaces.size >= MIN_WORKSPACES) return true
    }
    return false
  }

  failed(name: string): void {
    const known = this.#known.get(name)
    if (known !== undefined) known.failed = true
  }

  /**
   * Some origins that answered within a day: those that have not failed since first, and from as many workspaces as possible.
   * @param now monotonic ms @param random in [0, 1)
   */
  some(count: number, now: number, random: () => number): ToAsk[] {
    const lately = [...this.#known.values()].filter(({ answeredAt }) => now - answeredAt <= KNOWN_FOR_MS)
    const drawn = lately
      .map((known) => ({ known, order: (known.failed ? 1 : 0) + random() }))
      .sort((a, b) => a.order - b.order)
      .map(({ known }) => known)
    const workspaces = new Set<number>()
    const firsts = drawn.filter(({ workspaceIds }) => {
      const isNew = workspaceIds.some((id) => !workspaces.has(id))
      for (const id of workspaceIds) workspaces.add(id)
      return isNew
    })
    return [...firsts, ...drawn.filter((known) => !firsts.includes(known))].slice(0, count)
  }
}

/** Only as many as matter. */
function withOneMore(ids: readonly number[], id: number): readonly number[] {
  return ids.length === MIN_WORKSPACES || ids.includes(id) ? ids : [...ids, id]
}
