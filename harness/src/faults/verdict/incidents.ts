/** A node's process ended without releasing its deliveries. */
export interface Death {
  readonly node: string
  readonly cause: string
  readonly at: number
  /** When it had certainly ended. */
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
 * A node could not send, or not read answers in time: attempts that failed in this period do not count, and
 * are repeated.
 */
export interface Blockage {
  readonly node: string
  readonly cause: string
  readonly from: number
  readonly to: number
}

/** A node reported that its lease had expired: others may have taken over its deliveries. */
export interface Lapse {
  readonly node: string
  /** The id that the node had only with that lease. */
  readonly registration: number
  readonly at: number
  /** Before the node was ready; on a busy machine a start may take longer than a lease. */
  readonly inStart: boolean
}

/** Everything that happened to the nodes of a round. */
export interface Incidents {
  readonly deaths: readonly Death[]
  readonly silences: readonly Silence[]
  readonly blockages: readonly Blockage[]
  readonly lapses: readonly Lapse[]
  /** When publishes were acknowledged: the store still committed at these times. */
  readonly acknowledgedAt: readonly number[]
}

/** An unanswered call times out after 6 s, and the next renewal follows some time later. */
const NOTICED_WITHIN_MS = 8_000

/** Whether a lease may have expired because its node was silent. */
export const explains = ({ node, from, to }: Silence, lapse: Lapse) =>
  node === lapse.node && from <= lapse.at && lapse.at <= to + NOTICED_WITHIN_MS

/**
 * Lease expirations of running nodes that no fault explains: the machine was too busy, or lease renewal is
 * broken.
 * @param shared whether other nodes could take a lease; a single node cannot lose it
 */
export const unforcedAmong = (
  { lapses, silences }: Pick<Incidents, 'lapses' | 'silences'>,
  shared: boolean,
): readonly Lapse[] =>
  lapses.filter(
    (lapse) => !shared || !(lapse.inStart || silences.some((silence) => explains(silence, lapse))),
  )
