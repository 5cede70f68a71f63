import type { Fault } from './oracle/findings.ts'
import { eventOf } from './receivers/receivers.ts'
import type { Entry } from './trace.ts'

/** Entries shown before and after the one where a fault appeared. */
const BEFORE = 40
const AFTER = 3

/** One entry on one line, without parts that differ between runs. */
export function lineOf(entry: Entry): string {
  return `${new Date(entry.at).toISOString().slice(5, 23)} ${entry.kind} ${wordsOf(entry)}`
}

function wordsOf(entry: Entry): string {
  switch (entry.kind) {
    case 'stored': {
      const to = entry.deliveries.map(({ id, webhookId }) => `delivery ${id} to webhook ${webhookId}`)
      const late = entry.late.length === 0 ? '' : `; later to webhooks ${entry.late.join(' ')}`
      return `event ${eventOf(entry.event.body)} (row ${entry.event.id}): ${to.join(', ')}${late}`
    }
    case 'created':
      return `delivery ${entry.deliveryId} of event row ${entry.eventId} to webhook ${entry.webhookId}${entry.canceled ? ', canceled' : ''}`
    case 'leased':
      return `to node ${entry.nodeId}, lease ${entry.lease}: deliveries ${entry.deliveryIds.join(' ')}`
    case 'freed':
      return `by ${entry.by}: deliveries ${entry.deliveryIds.join(' ')}`
    case 'attempted':
    case 'refused': {
      const { deliveryId, lease, attempt, next } = entry.result
      const then = next.status === 'pending' ? `next at ${timeOf(next.nextAttemptAt)}` : next.status
      return `delivery ${deliveryId} by node ${entry.nodeId}, lease ${lease}: attempt ${attempt.number}, ${attempt.statusCode ?? attempt.errorCode}, ${then}`
    }
    case 'disabled':
      return `webhook ${entry.webhookId}: ${entry.reason}`
    case 'changed':
      return `webhook ${entry.webhookId} version ${entry.version}: ${entry.status}, ${entry.url}, [${entry.eventTypes.join(' ')}]`
    case 'warned':
    case 'deleted':
      return `webhook ${entry.webhookId}`
    case 'suspended':
      return `workspace ${entry.workspaceId}${entry.suspended ? '' : ' no more'}`
    case 'resent':
      return `delivery ${entry.deliveryId} by ${entry.trigger}${entry.replayId === null ? '' : ` ${entry.replayId}`}`
    case 'replayAsked':
    case 'replayEnded':
      return `${entry.replayId}`
    case 'pulledIn':
    case 'retried':
      return `delivery ${entry.deliveryId} to ${timeOf(entry.dueAt)}`
    case 'expired':
    case 'removed':
      return `delivery ${entry.deliveryId}`
    case 'outage':
      return `from ${timeOf(entry.beganAt)} to ${timeOf(entry.endedAt)}`
    case 'unsent':
      return `event ${entry.event} to webhook ${entry.receiver + 1} by process ${entry.process}`
    case 'learned':
      return `process ${entry.process}: ${entry.webhookIds === null ? 'nothing' : `webhooks ${entry.webhookIds.join(' ')}`}`
    case 'nodeRemoved':
      return `node ${entry.nodeId}`
    case 'started':
      return `process ${entry.process} on node ${entry.node + 1}`
    case 'ended':
      return `process ${entry.process}: ${entry.how}`
    case 'registered':
      return `process ${entry.process} as node ${entry.nodeId}`
    case 'leaseValid':
      return `process ${entry.process} until its ${entry.until} ms`
    case 'informed':
      return `process ${entry.process} of webhooks ${entry.webhookIds.join(' ')}`
    case 'recordAnswered':
      return `process ${entry.process}: deliveries ${entry.results.map(({ deliveryId }) => deliveryId).join(' ')}`
    case 'sent': {
      const { process, receiver, path, event, answer } = entry.arrival
      return `event ${event} to webhook ${receiver + 1} at ${path} by process ${process}: ${answer.status} after ${answer.afterMs} ms`
    }
    case 'heard': {
      const { process, receiver, event, answered } = entry.arrival
      return `event ${event} from webhook ${receiver + 1} by process ${process}: ${answered ? 'the answer' : 'nothing'}`
    }
    case 'acknowledged':
      return `events ${entry.events.join(' ')} by process ${entry.process}${entry.repeated ? ', again' : ''}`
    case 'loaded':
      return `process ${entry.process}: ${entry.waiting} in memory, ${entry.inFlight} in flight`
    case 'wrongTime':
      return `process ${entry.process}: ${entry.call} with a time ${entry.byMs} ms off`
    case 'fault':
      return entry.text
  }
}

const timeOf = (at: number) => new Date(at).toISOString().slice(5, 23)

/** The part of a trace that explains a fault. */
export function excerptOf(entries: readonly Entry[], { position, about }: Fault): string {
  const isTold = (entry: Entry) => tellsOf(entry, about)
  const before = entries
    .slice(0, position + 1)
    .filter(isTold)
    .slice(-BEFORE)
  const after = entries
    .slice(position + 1)
    .filter(isTold)
    .slice(0, AFTER)
  const showing = entries[position]
  return [...before, ...after].map((entry) => `${entry === showing ? '>' : ' '} ${lineOf(entry)}`).join('\n')
}

function tellsOf(entry: Entry, { deliveryId, webhookId, process }: Fault['about']): boolean {
  if (entry.kind === 'fault') return true
  if (deliveryId !== undefined && deliveriesOf(entry).includes(deliveryId)) return true
  if (webhookId !== undefined && webhooksOf(entry).includes(webhookId)) return true
  if (process === undefined || !('process' in entry)) return false
  return entry.process === process && entry.kind !== 'loaded' && entry.kind !== 'acknowledged'
}

function deliveriesOf(entry: Entry): readonly number[] {
  if ('deliveryIds' in entry) return entry.deliveryIds
  if ('deliveries' in entry) return entry.deliveries.map(({ id }) => id)
  if ('results' in entry) return entry.results.map(({ deliveryId }) => deliveryId)
  if ('result' in entry) return [entry.result.deliveryId]
  return 'deliveryId' in entry && entry.deliveryId !== null ? [entry.deliveryId] : []
}

function webhooksOf(entry: Entry): readonly number[] {
  if ('webhookIds' in entry) return entry.webhookIds ?? []
  if ('arrival' in entry) return [entry.arrival.receiver + 1]
  return 'webhookId' in entry ? [entry.webhookId] : []
}
