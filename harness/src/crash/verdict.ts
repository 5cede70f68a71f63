import type { SeenRequest } from '../receivers/scriptedReceiver.ts'
import type { LoggedDelivery } from '../support/workspaces.ts'
import type { Kill } from './underFire.ts'

/** What is known of one webhook once all is calm. */
export interface WebhookEvidence {
  readonly path: string
  readonly log: readonly LoggedDelivery[]
  readonly requests: readonly SeenRequest[]
  /** Ids of acknowledged events that it subscribes to. */
  readonly acknowledged: readonly string[]
  /** Whether every stored event was acknowledged in the end, since its batch was repeated until it was. */
  readonly allAcknowledged: boolean
}

export interface Tally {
  readonly deliveries: number
  readonly requests: number
  readonly attemptsRecorded: number
  /** Requests that no recorded attempt stands for: they were under way, or just over, at a kill. */
  readonly unrecorded: number
  /** Requests answered with success beyond the first of their delivery. */
  readonly duplicates: number
}

/**
 * A result is written within 20 ms and one commit; a machine that is busy with other tests may take this long. An
 * attempt that ended earlier before a kill must be in the log.
 */
const RECORDED_WITHIN_MS = 1_000

/** Compares what the service says it did with what its receivers saw. @returns the contradictions, in words */
export function contradictionsOf(evidence: WebhookEvidence, kills: readonly Kill[]): string[] {
  const { path, log, requests, acknowledged, allAcknowledged } = evidence
  const found: string[] = []
  const say = (text: string) => found.push(`${path}: ${text}`)
  const seen = byEvent(requests)
  const logged = new Map(log.map((delivery) => [delivery.eventId, delivery]))
  if (logged.size !== log.length) say('the log has two deliveries of one event')

  for (const id of acknowledged) {
    if (!seen.get(id)?.some(wasReceived)) say(`acknowledged event ${id} never arrived`)
  }
  for (const delivery of log) {
    const complaint = complaintAbout(delivery, seen.get(delivery.eventId) ?? [], kills)
    if (complaint !== null) say(`delivery ${delivery.id} of event ${delivery.eventId} ${complaint}`)
  }
  const known = new Set(acknowledged)
  for (const [id, ofEvent] of seen) {
    if (!logged.has(id)) say(`event ${id} arrived but is not in the log`)
    if (allAcknowledged && !known.has(id)) say(`event ${id} arrived but was never acknowledged`)
    const forged = ofEvent.find((request) => request.forgery !== null)
    if (forged !== undefined) say(`a request of event ${id} did not verify: ${forged.forgery}`)
    if (new Set(ofEvent.map((request) => request.bodyHash)).size > 1) say(`event ${id} came with two bodies`)
  }
  return found
}

function complaintAbout(
  { id, status, attempts }: LoggedDelivery,
  requests: readonly SeenRequest[],
  kills: readonly Kill[],
): string | null {
  if (status !== 'delivered') return `is ${status} in the end`
  if (!requests.some(wasReceived)) return 'is delivered in the log, but no request was answered with success'
  if (attempts.length > requests.length) {
    return `has ${attempts.length} attempts in the log, but ${requests.length} requests came`
  }
  if (attempts.some(({ number }, i) => number !== i + 1)) return 'has attempts whose numbers have gaps'
  const strays = requests.filter((request) => request.deliveryId !== null && request.deliveryId !== id)
  if (strays.length > 0) return `came under another delivery id, ${strays[0]!.deliveryId}`
  const excused = kills.filter((kill) => requests.some((request) => wasCutShort(request, kill))).length
  const unrecorded = requests.length - attempts.length
  if (unrecorded > excused)
    return `has ${unrecorded} unrecorded attempts, but only ${excused} kills explain any`
  return null
}

/** Whether a kill may have kept the attempt behind this request from being recorded. */
function wasCutShort({ seenAt, answeredAt, status }: SeenRequest, kill: Kill): boolean {
  const endedAt = answeredAt ?? (status === null ? seenAt : Number.POSITIVE_INFINITY)
  // What was sent before the kill can reach the receiver after it.
  return seenAt <= kill.restartedAt && endedAt >= kill.at - RECORDED_WITHIN_MS
}

export function tallyOf({ log, requests }: WebhookEvidence): Tally {
  const attemptsRecorded = log.reduce((sum, { attempts }) => sum + attempts.length, 0)
  const received = requests.filter(wasReceived)
  return {
    deliveries: log.length,
    requests: requests.length,
    attemptsRecorded,
    unrecorded: requests.length - attemptsRecorded,
    duplicates: received.length - byEvent(received).size,
  }
}

function wasReceived({ status, answeredAt }: SeenRequest): boolean {
  return answeredAt !== null && status !== null && status >= 200 && status < 300
}

function byEvent(requests: readonly SeenRequest[]): Map<string, SeenRequest[]> {
  const grouped = new Map<string, SeenRequest[]>()
  for (const request of requests) {
    const others = grouped.get(request.eventId)
    if (others === undefined) grouped.set(request.eventId, [request])
    else others.push(request)
  }
  return grouped
}
