import type { AttemptToRecord, EventToStore } from '../storage.ts'
import type { CallName, CallParams } from './messages.ts'

/**
 * The format of the two hot calls between threads. Copying an object between threads writes the name of each member each time,
 * and copies the whole buffer under a view of bytes. As tuples with the bytes in a string, an event and its result take the
 * store's thread 1.7 µs less, a seventh of its work for a delivery.
 */

type PackedEvent = readonly [
  id: number,
  workspaceId: number,
  type: string,
  broughtId: string | null,
  broughtRowId: number | null,
  fingerprint: Uint8Array | null,
  body: string,
  createdAt: number,
  traceparent: string | null,
]

type PackedResult = readonly [
  deliveryId: number,
  createdAt: number,
  lease: number,
  webhookId: number,
  number: number,
  trigger: AttemptToRecord['attempt']['trigger'],
  webhookVersion: number | null,
  startedAt: number,
  durationMs: number,
  statusCode: number | null,
  errorCode: AttemptToRecord['attempt']['errorCode'],
  errorMessage: string | null,
  cause: AttemptToRecord['attempt']['cause'],
  contentType: string | null,
  /** One character per byte. */
  responseBody: string | null,
  status: AttemptToRecord['next']['status'],
  nextAttemptAt: number | null,
  signal: AttemptToRecord['signal'],
  healthPolicy: number,
  replayId: number | null,
]

type Packed<Params, Rows extends string, Row> = Omit<Params, Rows> & { readonly rows: Row }
type PackedPublish = Packed<CallParams<'publish'>, 'batches', readonly (readonly PackedEvent[])[]>
type PackedRecord = Packed<CallParams<'recordAttempts'>, 'results', readonly PackedResult[]>

export function pack(name: CallName, params: unknown): unknown {
  if (name === 'publish') {
    const { batches, ...rest } = params as CallParams<'publish'>
    return { ...rest, rows: batches.map((batch) => batch.map(packEvent)) } satisfies PackedPublish
  }
  if (name === 'recordAttempts') {
    const { results, ...rest } = params as CallParams<'recordAttempts'>
    return { ...rest, rows: results.map(packResult) } satisfies PackedRecord
  }
  if (name === 'change') {
    const change = params as CallParams<'change'>
    return { ...change, params: pack(change.call, change.params) }
  }
  return params
}

export function unpack(name: CallName, packed: unknown): unknown {
  if (name === 'publish') {
    const { rows, ...rest } = packed as PackedPublish
    const batches = rows.map((batch) => batch.map(unpackEvent))
    return { ...rest, batches } satisfies CallParams<'publish'>
  }
  if (name === 'recordAttempts') {
    const { rows, ...rest } = packed as PackedRecord
    return { ...rest, results: rows.map(unpackResult) } satisfies CallParams<'recordAttempts'>
  }
  if (name === 'change') {
    const change = packed as CallParams<'change'>
    return { ...change, params: unpack(change.call, change.params) }
  }
  return packed
}

function packEvent(event: EventToStore): PackedEvent {
  const { id, workspaceId, type, broughtId, broughtRowId, fingerprint, body, createdAt, traceparent } = event
  return [id, workspaceId, type, broughtId, broughtRowId, fingerprint, body, createdAt, traceparent]
}

function unpackEvent(packed: PackedEvent): EventToStore {
  const [id, workspaceId, type, broughtId, broughtRowId, fingerprint, body, createdAt, traceparent] = packed
  return { id, workspaceId, type, broughtId, broughtRowId, fingerprint, body, createdAt, traceparent }
}

function packResult({
  deliveryId,
  createdAt,
  lease,
  webhookId,
  attempt,
  next,
  signal,
  healthPolicy,
  replayId,
}: AttemptToRecord): PackedResult {
  return [
    deliveryId,
    createdAt,
    lease,
    webhookId,
    attempt.number,
    attempt.trigger,
    attempt.webhookVersion,
    attempt.startedAt,
    attempt.durationMs,
    attempt.statusCode,
    attempt.errorCode,
    attempt.errorMessage,
    attempt.cause,
    attempt.contentType,
    attempt.responseBody === null ? null : textOf(attempt.responseBody),
    next.status,
    next.nextAttemptAt,
    signal,
    healthPolicy,
    replayId,
  ]
}

function unpackResult(packed: PackedResult): AttemptToRecord {
  const [deliveryId, createdAt, lease, webhookId, number, trigger, webhookVersion, startedAt, durationMs] =
    packed
  const [, , , , , , , , , statusCode, errorCode, errorMessage, cause, contentType, body] = packed
  const [, , , , , , , , , , , , , , , status, nextAttemptAt, signal, healthPolicy, replayId] = packed
  const responseBody = body === null ? null : Buffer.from(body, 'latin1')
  const outcome = { statusCode, errorCode, errorMessage, cause, contentType, responseBody }
  const attempt = { number, trigger, webhookVersion, startedAt, durationMs, ...outcome }
  const next = { status, nextAttemptAt } as AttemptToRecord['next']
  return { deliveryId, createdAt, lease, webhookId, attempt, next, signal, healthPolicy, replayId }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
