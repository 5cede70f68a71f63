import { concernsAll, type Fault, tellsOfWayOut } from '../../core/cause.ts'
import type { Probed } from '../egress/index.ts'

/** A probe, and whom it asked. */
export interface Asked extends Probed {
  readonly name: string
  /** Whose receiver it is; `null`: it is what the operator named. */
  readonly workspaceIds: readonly number[] | null
}

/** Of that many different addresses, and workspaces, receivers must be out of reach before that is taken for our fault. */
export const MIN_ADDRESSES = 3
export const MIN_WORKSPACES = 2

/** Whether our way out is open. With too few receivers to ask, one that is dead looks like a way that is closed. */
export type WayOut = 'open' | 'closed' | 'unknown'

/** What probes say of our way out. One that succeeds shows that it is open. */
export function judgeWayOut(asked: readonly Asked[]): WayOut {
  if (asked.some(({ fault }) => fault === null)) return 'open'
  const failed = asked.filter(({ fault }) => tellsOfWayOut(fault!))
  if (failed.length === 0) return 'unknown'
  if (failed.every(({ fault }) => concernsAll(fault!))) return 'closed'
  if (failed.some(({ workspaceIds }) => workspaceIds === null)) return 'closed'
  const addresses = new Set(failed.map(({ address }) => address))
  const workspaces = new Set(failed.flatMap(({ workspaceIds }) => workspaceIds ?? []))
  return addresses.size >= MIN_ADDRESSES && workspaces.size >= MIN_WORKSPACES ? 'closed' : 'unknown'
}

/** Faults that show that our own side worked, as far as one can see from them. */
const BEYOND_OUR_SIDE: readonly Fault[] = [
  'connect_failed',
  'connect_timeout',
  'proxy_found_target_dead',
  'proxy_refused_target',
]

/** Whether a probe shows that a fault of our own, which was the same for every receiver, is gone. */
export const isBeyondOurSide = (fault: Fault | null): boolean =>
  fault === null || BEYOND_OUR_SIDE.includes(fault)

/** Whether nothing but patience ran out: perhaps the way is slow, and not closed. */
export const isTimeout = (fault: Fault | null): boolean =>
  fault === 'connect_timeout' || fault === 'proxy_timeout' || fault === 'resolver_trouble'
