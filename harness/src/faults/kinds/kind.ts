import type { Journal } from '../journal.ts'
import type { FaultNode } from '../nodes/node.ts'
import type { Receivers } from '../scene/cast.ts'

/** What faults are done to. */
export interface World {
  readonly nodes: readonly FaultNode[]
  readonly receivers: Receivers
  readonly journal: Journal
}

export interface Fault {
  /** For people. */
  readonly text: string
  /** Done while all is calm yet. */
  readonly prepare?: (world: World) => Promise<void>
  /** Does it and undoes it; resolves when everything that it touched is healed and runs. */
  readonly inject: (world: World) => Promise<void>
}

/** One sort of fault, of which a seed draws many. */
export interface FaultKind {
  readonly name: string
  readonly weight: number
  /** Whether every process lives through it. */
  readonly sparesProcesses: boolean
  /** @param nodes how many there are */
  readonly draw: (random: () => number, nodes: number) => Fault
}
