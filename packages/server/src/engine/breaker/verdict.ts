import { causeOf, type Fault, maybeOneReceiver, tellsOfWayOut } from '../../core/cause.ts'
import type { Probed } from '../egress/index.ts'

/** A probe, and whom it asked. */
export interface Asked extends Probed {
  /** Whose receiver it is; `null`: it is what the operator named. */
  readonly workspaceId: number | null
}

/** Of that many different addresses, and workspaces, receivers must be out of reach before that is taken for our fault. */
export const MIN_ADDRESSES = 3
export const MIN_WORKSPACES = 2

const CALM = { loopWasLate: false, clockLeapt: false }

/** Whether a fault speaks for itself: it is the sender's, whoever was asked. */
export const isSendersAlone = (fault: Fault): boolean =>
  causeOf(fault, CALM) === 'sender' && !maybeOneReceiver(fault)

/** Whether our way out is open. With too few receivers to ask, one that is dead looks like a way that is closed. */
export type WayOut = 'open' | 'closed' | 'unknown'

/** What probes say of our way out. One that succeeds shows that it is open. */
export function judgeWayOut(asked: readonly Asked[]): WayOut {
  if (asked.some(({ fault }) => fault === null)) return 'open'
  const failed = asked.filter(({ fault }) => tellsOfWayOut(fault!))
  if (failed.length === 0) return 'unknown'
  if (failed.every(({ fault }) => isSendersAlone(fault!))) return 'closed'
  if (failed.some(({ workspaceId }) => workspaceId === null)) return 'closed'
  const addresses = new Set(failed.map(({ address }) => address))
  const workspaces = new Set(failed.map(({ workspaceId }) => workspaceId))
  return addresses.size >= MIN_ADDRESSES && workspaces.size >= MIN_WORKSPACES ? 'closed' : 'unknown'
}
