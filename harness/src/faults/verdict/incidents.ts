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

/** A node could not send, or not read answers in time: what failed meanwhile counts for nothing, and is made again. */
export interface Blockage {
  readonly node: string
  readonly cause: string
  readonly from: number
  readonly to: number
}

/** A node said that its lease had run out: others may have taken over what it held. */
export interface Lapse {
  readonly node: string
  /** The id that the node had with that lease and has with no other. */
  readonly registration: number
  readonly at: number
  /** Before the node was ready; on a busy machine a start may take longer than a lease lasts. */
  readonly inStart: boolean
}

/** All that was done to the nodes of a round, or came over them. */
export interface Incidents {
  readonly deaths: readonly Death[]
  readonly silences: readonly Silence[]
  readonly blockages: readonly Blockage[]
  readonly lapses: readonly Lapse[]
  /** When publishes were acknowledged: the store committed until then. */
  readonly acknowledgedAt: readonly number[]
}

/** A call that is not answered is given up after 6 s, and the next renewal comes some time after that. */
const NOTICED_WITHIN_MS = 8_000

/** Whether a lease may have run out because its node was silent. */
export const explains = ({ node, from, to }: Silence, lapse: Lapse) =>
  node === lapse.node && from <= lapse.at && lapse.at <= to + NOTICED_WITHIN_MS

/**
 * Lapses of nodes in service that no fault explains: the machine was too busy, or leases are not kept as they should be.
 * @param shared whether there are others who take a lease away; who is alone cannot lose it whatever happens
 */
export const unforcedAmong = (
  { lapses, silences }: Pick<Incidents, 'lapses' | 'silences'>,
  shared: boolean,
): readonly Lapse[] =>
  lapses.filter(
    (lapse) => !shared || !(lapse.inStart || silences.some((silence) => explains(silence, lapse))),
  )
