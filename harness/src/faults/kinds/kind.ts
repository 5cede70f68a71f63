import type { Journal } from '../journal.ts'
import type { FaultNode } from '../nodes/node.ts'
import type { Receivers } from '../scene/cast.ts'

/** The targets of faults. */
export interface World {
  readonly nodes: readonly FaultNode[]
  readonly receivers: Receivers
  readonly journal: Journal
}

export interface Fault {
  /** Readable description. */
  readonly text: string
  /** Runs while all is still calm. */
  readonly prepare?: (world: World) => Promise<void>
  /** Injects the fault and undoes it; resolves when everything affected is healthy and running again. */
  readonly inject: (world: World) => Promise<void>
}

/** One kind of fault, of which a seed draws many. */
export interface FaultKind {
  readonly name: string
  readonly weight: number
  /** Whether every process survives it. */
  readonly sparesProcesses: boolean
  /** @param nodes number of nodes */
  readonly draw: (random: () => number, nodes: number) => Fault
}
