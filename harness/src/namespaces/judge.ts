import type { Probe } from '../database/probes.ts'
import type { Try } from '../database/publisher.ts'
import type { Arrival } from '../database/receiver.ts'
import { grouped } from '../support/grouped.ts'
import type { Exit } from '../support/posthorn.ts'
import type { Freed, NodeLife, Recorded } from './witness.ts'

/** All observations of a node that was disconnected from its database. Times are Unix ms. */
export interface CutEvidence {
  readonly leaseMs: number
  readonly cutAt: number
  readonly restoredAt: number
  /** Of the node, as receivers see it. */
  readonly address: string
  /** The store's record of the node at the disconnection. */
  readonly life: NodeLife
  /** Its deliveries at the disconnection. */
  readonly held: readonly { readonly eventId: string; readonly url: string }[]
  readonly lives: readonly NodeLife[]
  readonly records: readonly Recorded[]
  readonly freed: readonly Freed[]
  readonly arrivals: readonly (Arrival & { readonly url: string })[]
  /** Every event goes to each of them. */
  readonly urls: readonly string[]
  readonly tries: readonly Try[]
  readonly refusedForGood: number
  readonly readyAnswers: readonly Probe[]
  readonly exits: readonly Exit[]
}

export interface CutResult {
  readonly metrics: Readonly<Record<string, number>>
  readonly complaints: readonly string[]
}

const nameOf = ({ eventId, url }: { readonly eventId: string; readonly url: string }) =>
  `${eventId} to ${url}`

/** Compares all observations with the promises. */
export function judge(evidence: CutEvidence): CutResult {
  const { cutAt, restoredAt, life, held, records, arrivals, address } = evidence
  const ended = life.ended
  const freed = evidence.freed.filter(({ nodeId }) => nodeId === life.id)
  const fromCutOff = arrivals.filter(({ from, at }) => from === address && at >= cutAt && at < restoredAt)
  const repeated = repeatsOf(evidence)
  const seconds = (at: number | undefined) => Math.round(((at ?? Number.NaN) - cutAt) / 100) / 10
  return {
    metrics: {
      accepted: new Set(evidence.tries.filter(({ status }) => status === 202).map(({ eventId }) => eventId))
        .size,
      refused: evidence.tries.filter(({ status }) => status !== 202).length,
      heldAtTheCut: held.length,
      leaseRanOutAfterS: seconds(ended?.leaseUntil),
      takenOverAfterS: seconds(ended?.at),
      takenOver: freed.length,
      lastTakenOverAfterS: seconds(Math.max(...freed.map(({ at }) => at))),
      sentWhileCutOff: fromCutOff.length,
      lastSentAfterS: seconds(Math.max(...fromCutOff.map(({ at }) => at))),
      restoredAfterS: seconds(restoredAt),
      recorded: records.length,
      sentTwice: repeated.length,
    },
    complaints: [
      ...complaintsAboutLosses(evidence),
      ...complaintsAboutRecords(evidence),
      ...complaintsAboutTakingOver(evidence, freed),
      ...complaintsAboutRepeats(evidence, repeated),
      ...complaintsAboutNodes(evidence, fromCutOff),
    ],
  }
}

function complaintsAboutLosses({ tries, urls, arrivals, refusedForGood }: CutEvidence): string[] {
  const arrived = new Set(arrivals.map(nameOf))
  const accepted = tries.filter(({ status }) => status === 202)
  const missing = accepted
    .flatMap(({ eventId }) => urls.map((url) => nameOf({ eventId, url })))
    .filter((name) => !arrived.has(name))
    .map((name) => `${name} was acknowledged and never delivered`)
  const refused = refusedForGood === 0 ? [] : [`${refusedForGood} events are rejected for good`]
  // The other nodes are not affected.
  const wrongly = tries
    .filter(({ node, status }) => node !== 0 && status !== 202)
    .map(({ node, status }) => `node ${node} answered a publish with ${status}`)
  return [...missing, ...refused, ...wrongly]
}

/**
 * Every result must be recorded by the node that has the lease of the delivery, while its own lease is valid.
 */
function complaintsAboutRecords({ records, lives }: CutEvidence): string[] {
  const clients = new Map(lives.map(({ id, client }) => [id, client]))
  return records.flatMap(({ deliveryId, client, nodeId, leaseUntil, at }) => {
    const by = `delivery ${deliveryId} was recorded by ${client}`
    if (nodeId === null || leaseUntil === null) return [`${by} under a lease that was no more`]
    if (clients.get(nodeId) !== client) return [`${by} under a lease of ${clients.get(nodeId)}`]
    return leaseUntil > at ? [] : [`${by} ${at - leaseUntil} ms after its lease`]
  })
}

function complaintsAboutTakingOver({ lives, life, held }: CutEvidence, freed: readonly Freed[]): string[] {
  if (life.ended === null) return ['no node took over its deliveries']
  const { leaseUntil, at: endedAt } = life.ended
  const others = lives.filter(({ id, ended }) => id !== life.id && ended !== null)
  return [
    ...(endedAt < leaseUntil
      ? [`the node was declared dead ${leaseUntil - endedAt} ms before its lease expired`]
      : []),
    ...(freed.some(({ at }) => at < endedAt)
      ? ['deliveries were taken over before the node was declared dead']
      : []),
    ...(freed.length === held.length
      ? []
      : [`of ${held.length} deliveries held, ${freed.length} were taken over`]),
    ...others.map(({ client }) => `the node at ${client} lost its lease too`),
  ]
}

/** Deliveries that arrived more than once. */
function repeatsOf({ arrivals }: CutEvidence): { readonly name: string; readonly times: number }[] {
  return [...grouped(arrivals, nameOf)].flatMap(([name, { length: times }]) =>
    times > 1 ? [{ name, times }] : [],
  )
}

function complaintsAboutRepeats({ held }: CutEvidence, repeats: ReturnType<typeof repeatsOf>): string[] {
  const heldNames = new Set(held.map(nameOf))
  return repeats.flatMap(({ name, times }) => [
    ...(heldNames.has(name) ? [] : [`${name} was sent ${times} times, and the node did not hold it`]),
    ...(times > 2 ? [`${name} was sent ${times} times`] : []),
  ])
}

function complaintsAboutNodes(
  { life, leaseMs, cutAt, restoredAt, readyAnswers, exits }: CutEvidence,
  fromCutOff: readonly Arrival[],
): string[] {
  // A request that was started in time may arrive a little later.
  const late = fromCutOff.filter(({ at }) => at > (life.ended?.leaseUntil ?? restoredAt) + leaseMs)
  const unready = readyAnswers.some(({ at, status }) => at > cutAt && at < restoredAt && status === 503)
  return [
    ...(late.length === 0 ? [] : [`the node sent ${late.length} requests long after its lease`]),
    ...(unready ? [] : ['the node that was cut off never said that it is not ready']),
    ...exits.filter(({ code }) => code !== 0).map((exit) => `a node ended with ${JSON.stringify(exit)}`),
  ]
}
