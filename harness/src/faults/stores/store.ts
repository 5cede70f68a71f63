import type { Settings } from '../../support/posthorn.ts'
import type { FaultKind } from '../kinds/kind.ts'

/** The store of the nodes, and the faults that only it can have. */
export interface StoreUnderTest {
  /** Whether several nodes share it. */
  readonly shared: boolean
  readonly kinds: readonly FaultKind[]
  /** Faults that cannot be injected on this machine, and why. */
  readonly untried: readonly string[]
  /** The directory of a node's files. @param node counts from 0 */
  dataDirOf(node: number): string
  settingsOf(node: number): Settings
  /** Rows that must be gone once all is calm: leases, ended nodes. @returns `null` when there are none */
  leftovers(): Promise<string | null>
  /** @param keepIn a directory for its content; `null`: it is discarded */
  stop(keepIn: string | null): Promise<void>
}
