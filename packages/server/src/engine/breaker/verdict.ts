import { concernsAll, type Fault, tellsOfWayOut } from '../../core/cause.ts'
import type { Probed } from '../egress/index.ts'

/** A probe, and its target. */
export interface Asked extends Probed {
  readonly name: string
  /** The workspace of the receiver; `null`: the operator named it. */
  readonly workspaceIds: readonly number[] | null
}

/** At least this many addresses and workspaces must be unreachable before that counts as our fault. */
export const MIN_ADDRESSES = 3
export const MIN_WORKSPACES = 2

/** Whether our network works. With too few receivers to probe, one dead receiver looks like a dead network. */
export type WayOut = 'open' | 'closed' | 'unknown'

/** What probes prove about our network. One that succeeds proves that it works. */
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

/** Faults that show that our own side worked, as far as they can show it. */
const BEYOND_OUR_SIDE: readonly Fault[] = [
  'connect_failed',
  'connect_timeout',
  'proxy_found_target_dead',
  'proxy_refused_target',
]

/** Whether a probe shows that a fault of our own, which was the same for every receiver, is gone. */
export const isBeyondOurSide = (fault: Fault | null): boolean =>
  fault === null || BEYOND_OUR_SIDE.includes(fault)

/** Whether all probes timed out: the network may be slow, and not down. */
export const isTimeout = (fault: Fault | null): boolean =>
  fault === 'connect_timeout' || fault === 'proxy_timeout' || fault === 'resolver_trouble'
