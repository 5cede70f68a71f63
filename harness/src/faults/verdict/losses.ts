import type { Loss } from '../evidence.ts'
import { type Death, explains, type Incidents, type Lapse, type Silence } from './incidents.ts'

/**
 * A result is written within 20 ms and one commit; on a busy machine, within this time. An attempt that ended
 * this long before the store's last known commit is in the log, unless the node was silent.
 */
const RECORDED_WITHIN_MS = 1_000
/** A busy receiver may see a request this long after it was sent. */
const SEEN_WITHIN_MS = 1_000
/**
 * A lease has at least two thirds left when it is renewed, and after a failure it is renewed a third later.
 */
const SAFE_SHARE_OF_LEASE = 0.3
/** Time from its last renewal until its node knows that it expired, if only load delays it. */
const LEASES_UNTIL_NOTICED = 2

export interface LossOptions {
  /** Whether other nodes take over the deliveries of a silent one. */
  readonly shared: boolean
  readonly leaseMs: number
  /** A receiver's timeout. */
  readonly timeoutMs: number
}

/**
 * Computes when attempts may have been made and not recorded. A crash loses the node's unrecorded attempts.
 * So does an expired lease. A silence loses nothing, unless it lasts so long that another node takes over,
 * which the silent node may not live to log.
 */
export function lossesOf(incidents: Incidents, options: LossOptions): Loss[] {
  const { acknowledgedAt } = incidents
  const account: Account = {
    ...incidents,
    ...options,
    silences: joined(incidents.silences),
    recordedBefore: (time) =>
      Math.max(Number.NEGATIVE_INFINITY, ...acknowledgedAt.filter((at) => at <= time)) - RECORDED_WITHIN_MS,
  }
  const alone = [...lostByDeath(account), ...lostByBlockage(account)]
  return options.shared ? [...alone, ...lostByLapse(account), ...lostBySilence(account)] : alone
}

interface Account extends Incidents, LossOptions {
  /** Attempts that ended before this are in the log, if the node worked until `time`. */
  readonly recordedBefore: (time: number) => number
}

function lostByDeath({ deaths, silences, shared, recordedBefore }: Account): Loss[] {
  return deaths.map(({ node, cause, at, goneAt }) => {
    // A node's lock in the store also blocks writes of the others.
    const during = silences.filter(
      (silence) =>
        (shared || silence.node === node) && silence.from <= at && silence.to >= at - RECORDED_WITHIN_MS,
    )
    return {
      cause: `${node}: ${cause}`,
      from: recordedBefore(Math.min(at, ...during.map(({ from }) => from))),
      at,
      to: goneAt + SEEN_WITHIN_MS,
    }
  })
}

/**
 * An attempt that was in flight when its node lost the network, and failed for that reason, does not count.
 */
function lostByBlockage({ blockages, timeoutMs }: Account): Loss[] {
  return blockages.map(({ node, cause, from, to }) => ({
    cause: `${node}: ${cause}`,
    from: from - RECORDED_WITHIN_MS,
    at: to,
    to: to + timeoutMs + SEEN_WITHIN_MS,
  }))
}

function lostByLapse({ lapses, silences, leaseMs, recordedBefore }: Account): Loss[] {
  return lapses.map((lapse) => {
    const before = silences.filter((silence) => explains(silence, lapse))
    const renewedAt = Math.min(lapse.at - LEASES_UNTIL_NOTICED * leaseMs, ...before.map(({ from }) => from))
    return {
      cause: `${lapse.node}: its lease ran out`,
      from: recordedBefore(renewedAt),
      at: lapse.at,
      to: lapse.at + SEEN_WITHIN_MS,
    }
  })
}

function lostBySilence({ deaths, silences, lapses, leaseMs, timeoutMs, recordedBefore }: Account): Loss[] {
  return silences
    .filter(({ from, to }) => to - from >= leaseMs * SAFE_SHARE_OF_LEASE)
    .filter((silence) => !lapses.some((lapse) => tellsOf(lapse, silence, deaths)))
    .map(({ node, cause, from, to }) => ({
      cause: `${node}: ${cause}`,
      from: recordedBefore(from),
      at: to,
      // It renews its lease within a third of it; attempts in flight end within the receiver's timeout.
      to: to + leaseMs / 3 + timeoutMs + SEEN_WITHIN_MS,
    }))
}

/**
 * Whether the node lost by a silence the same results as by this lease: its process lived from one to the
 * other.
 */
const tellsOf = (lapse: Lapse, silence: Silence, deaths: readonly Death[]) =>
  explains(silence, lapse) &&
  !deaths.some(({ node, at }) => node === lapse.node && silence.from <= at && at <= lapse.at)

/** Silences of a node that are too close together to write anything in between count as one. */
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
