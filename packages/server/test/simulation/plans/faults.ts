import { HOUR_MS, SECOND_MS } from '../../../src/core/duration.ts'
import type { Cluster } from '../nodes/cluster.ts'
import { type Fate, NORMAL, type StoreCall } from '../nodes/fates.ts'
import type { ClockKind } from '../nodes/process.ts'
import type { WayOut } from '../nodes/wayOut.ts'
import type { Disturbance } from '../oracle/disturbances.ts'
import { REAL_SIZES, type StoreSizes } from '../store/state.ts'

/** What faults act on. */
export interface Scene {
  readonly cluster: Cluster
  /** Sets the store's own clock. */
  setStoreClock(byMs: number): void
}

/** Something that befalls nodes or the store; milliseconds from the start. */
export interface Incident {
  readonly at: number
  /** For people who read a trace. */
  readonly text: string
  readonly happen: (scene: Scene) => void
}

/** A request that a process has sent. */
export interface RequestMade {
  readonly process: number
  readonly node: number
  /** Position among the requests of its process, from 0 on. */
  readonly number: number
  /** When it was sent; milliseconds from the start. */
  readonly at: number
}

/** What goes wrong in a simulation. */
export interface Faults {
  readonly nodes: number
  readonly clocks: ClockKind
  readonly leaseMs: number
  readonly graceMs: number
  readonly sizes: StoreSizes
  readonly fateOf: (call: StoreCall) => Fate
  /** How long word of a changed webhook takes to a process. */
  readonly announceMs: (process: number, news: number) => number
  /** How long a node is away whose process was killed. */
  readonly awayMs: (process: number) => number
  /** Whether a process is killed as its receiver has this request of it, or before it hears the answer. */
  readonly killsAt: (request: RequestMade) => 'request' | 'answer' | null
  /** What is wrong with the way out of a node at a time; `null`: nothing. */
  readonly wayOutOf: (node: number, at: number) => WayOut | null
  /** In the order of time. */
  readonly incidents: readonly Incident[]
  /** When these faults excuse that something is late. */
  readonly disturbances: readonly Disturbance[]
  /** By how much clocks that are set may make a time of failing seem longer than it is. */
  readonly clockErrorMs: number
}

/** One node, on which nothing goes wrong. */
export const NO_FAULTS: Faults = {
  nodes: 1,
  clocks: 'simulation',
  leaseMs: 30 * SECOND_MS,
  graceMs: HOUR_MS,
  sizes: REAL_SIZES,
  fateOf: () => NORMAL,
  announceMs: () => 0,
  awayMs: () => 0,
  killsAt: () => null,
  wayOutOf: () => null,
  incidents: [],
  disturbances: [],
  clockErrorMs: 0,
}
