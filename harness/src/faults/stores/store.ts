import type { Settings } from '../../support/posthorn.ts'
import type { FaultKind } from '../kinds/kind.ts'

/** What nodes keep everything in, and the faults that only it can have. */
export interface StoreUnderTest {
  /** Whether several nodes share it. */
  readonly shared: boolean
  readonly kinds: readonly FaultKind[]
  /** Faults that cannot be tried on this machine, and why. */
  readonly untried: readonly string[]
  /** Where a node keeps its files. @param node counts from 0 */
  dataDirOf(node: number): string
  settingsOf(node: number): Settings
  /** What it must not keep once all is calm: leases, nodes that are gone. @returns `null` when there is nothing */
  leftovers(): Promise<string | null>
  /** @param keepIn a directory for what it held; `null`: nobody wants to see it */
  stop(keepIn: string | null): Promise<void>
}
