import { HOUR_MS, SECOND_MS } from '../../../src/core/duration.ts'
import type { Cluster } from '../nodes/cluster.ts'
import { type Fate, NORMAL, type StoreCall } from '../nodes/fates.ts'
import type { ClockKind } from '../nodes/process.ts'
import type { WayOut } from '../nodes/wayOut.ts'
import type { Disturbance } from '../oracle/disturbances.ts'
import { REAL_SIZES, type StoreSizes } from '../store/state.ts'

/** The targets of faults. */
export interface Scene {
  readonly cluster: Cluster
  /** Sets the store's own clock. */
  setStoreClock(byMs: number): void
}

/** A fault of nodes or the store; milliseconds from the start. */
export interface Incident {
  readonly at: number
  /** For readers of a trace. */
  readonly text: string
  readonly happen: (scene: Scene) => void
}

/** A request that a process has sent. */
export interface RequestMade {
  readonly process: number
  readonly node: number
  /** Index among the requests of its process, from 0 on. */
  readonly number: number
  /** When it was sent; milliseconds from the start. */
  readonly at: number
}

/** The faults of a simulation. */
export interface Faults {
  readonly nodes: number
  readonly clocks: ClockKind
  readonly leaseMs: number
  readonly graceMs: number
  readonly sizes: StoreSizes
  readonly fateOf: (call: StoreCall) => Fate
  /** Delay of the announcement of a changed webhook to a process. */
  readonly announceMs: (process: number, news: number) => number
  /** How long a node is down after its process was killed. */
  readonly awayMs: (process: number) => number
  /** Whether a process is killed when its receiver gets this request, or before it gets the answer. */
  readonly killsAt: (request: RequestMade) => 'request' | 'answer' | null
  /** The fault of a node's egress at a time; `null`: none. */
  readonly wayOutOf: (node: number, at: number) => WayOut | null
  /** In order of time. */
  readonly incidents: readonly Incident[]
  /** When these faults excuse delays. */
  readonly disturbances: readonly Disturbance[]
  /** By how much set clocks may lengthen a time of failing as recorded. */
  readonly clockErrorMs: number
}

/** One node without faults. */
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
