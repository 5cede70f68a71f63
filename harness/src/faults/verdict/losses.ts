import type { Loss } from '../evidence.ts'

/** A node's process ended without having given back what it held. */
export interface Death {
  readonly node: string
  readonly cause: string
  readonly at: number
  /** When it was certainly gone. */
  readonly goneAt: number
}

/** A node could not work, or not reach the store. */
export interface Silence {
  readonly node: string
  readonly cause: string
  readonly from: number
  readonly to: number
}

/**
 * A result is written within 20 ms and one commit; a machine that is busy with other things may take this long. An
 * attempt that ended earlier is in the log, unless the node was silent.
 */
const RECORDED_WITHIN_MS = 1_000
/** A request that was sent may be seen by a busy receiver only after this. */
const SEEN_WITHIN_MS = 1_000
/** Of a lease that is about to be renewed two thirds are left, and after a failure it is renewed a third later. */
const SAFE_SHARE_OF_LEASE = 0.3

export interface LossOptions {
  /** Whether other nodes take over what a silent one holds. */
  readonly shared: boolean
  readonly leaseMs: number
  /** A receiver's time. */
  readonly timeoutMs: number
}

/**
 * Works out when attempts may have been made and not recorded. A death takes what its node had in flight and had not
 * written; a silence takes nothing by itself, unless it lasts so long that another node takes over.
 */
export function lossesOf(
  deaths: readonly Death[],
  silences: readonly Silence[],
  { shared, leaseMs, timeoutMs }: LossOptions,
): Loss[] {
  const byDeath = deaths.map(({ node, cause, at, goneAt }) => ({
    cause: `${node}: ${cause}`,
    // What one node has locked in the store keeps the others from writing, too.
    from: unwrittenSince(at, shared ? silences : silences.filter((silence) => silence.node === node)),
    at,
    to: goneAt + SEEN_WITHIN_MS,
  }))
  if (!shared) return byDeath
  const bySilence = joined(silences)
    .filter(({ from, to }) => to - from >= leaseMs * SAFE_SHARE_OF_LEASE)
    .map(({ node, cause, from, to }) => ({
      cause: `${node}: ${cause}`,
      from: from - RECORDED_WITHIN_MS,
      at: to,
      // It renews its lease within a third of it; attempts that were under way end within the receiver's time.
      to: to + leaseMs / 3 + timeoutMs + SEEN_WITHIN_MS,
    }))
  return [...byDeath, ...bySilence]
}

/** Silences of a node that follow each other too closely to write anything in between count as one. */
function joined(silences: readonly Silence[]): Silence[] {
  const all: Silence[] = []
  for (const silence of silences.toSorted((a, b) => a.from - b.from)) {
    const at = all.findLastIndex(({ node }) => node === silence.node)
    const before = all[at]
    if (before !== undefined && silence.from <= before.to + RECORDED_WITHIN_MS) {
      const cause = before.cause === silence.cause ? before.cause : `${before.cause}, ${silence.cause}`
      all[at] = { ...before, cause, to: Math.max(before.to, silence.to) }
    } else all.push(silence)
  }
  return all
}

function unwrittenSince(at: number, silences: readonly Silence[]): number {
  const during = joined(silences).filter(({ from, to }) => from <= at && to >= at - RECORDED_WITHIN_MS)
  return Math.min(at, ...during.map(({ from }) => from)) - RECORDED_WITHIN_MS
}
