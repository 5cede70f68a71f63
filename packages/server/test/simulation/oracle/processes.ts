import type { Entry } from '../trace.ts'
import type { Check } from './findings.ts'

/** The oracle's knowledge of one process. */
export interface KnownProcess {
  readonly number: number
  readonly node: number
  readonly startedAt: number
  /** When it stopped or was killed; `null`: it runs. */
  endedAt: number | null
  /** The expiry of its lease as far as it knows, by its own monotonic time. */
  validUntil: number
  /** When it last learned that. */
  toldAt: number
}

/** Follows the processes of all nodes. */
export class Processes implements Check {
  readonly #known = new Map<number, KnownProcess>()
  /** By their numbers in the store. */
  readonly #byNodeId = new Map<number, KnownProcess>()
  readonly #removed = new Set<number>()

  /** @param number of the process */
  byNumber(number: number): KnownProcess {
    return this.#known.get(number)!
  }

  byNodeId(nodeId: number): KnownProcess | undefined {
    return this.#byNodeId.get(nodeId)
  }

  /** Whether the store has removed the node. */
  isRemoved(nodeId: number): boolean {
    return this.#removed.has(nodeId)
  }

  read(entry: Entry): void {
    if (entry.kind === 'started') {
      const { process: number, node, at: startedAt } = entry
      const validUntil = Number.NEGATIVE_INFINITY
      this.#known.set(number, { number, node, startedAt, endedAt: null, validUntil, toldAt: startedAt })
    } else if (entry.kind === 'ended') this.byNumber(entry.process).endedAt = entry.at
    else if (entry.kind === 'registered') this.#byNodeId.set(entry.nodeId, this.byNumber(entry.process))
    else if (entry.kind === 'leaseValid')
      Object.assign(this.byNumber(entry.process), { validUntil: entry.until, toldAt: entry.at })
    else if (entry.kind === 'nodeRemoved') this.#removed.add(entry.nodeId)
  }

  end(): void {}
}
