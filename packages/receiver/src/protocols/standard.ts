import { WebhookVerificationError } from '../errors.ts'
import { type ContentEvent, parseContentEvent } from '../events/content.ts'
import { readHeaders, type WebhookHeaders } from '../headers.ts'
import { type ReceiverOptions, readClock, readToleranceMs } from '../options.ts'
import { isMessageId, parseTimestampSeconds, SCHEMES, signedContentPrefix } from '../schemes.ts'
import type { Claim, Protocol } from './protocol.ts'

interface StandardFacts {
  readonly id: string
  readonly timestamp: Date
}

/** A genuine, fresh request of the `standard` scheme; its body may be anything. */
export interface VerifiedStandardMessage {
  /** `webhook-id`: the same on every retry and redelivery. Skip duplicates by it. */
  readonly id: string
  /** When this attempt was signed, to the second. The time of the event itself is in the body. */
  readonly timestamp: Date
  /** The raw body. */
  readonly body: Uint8Array
}

/** A genuine, fresh webhook of the content workflow service. */
export interface VerifiedContentEvent {
  /** `webhook-id`: the same on every retry and redelivery. Skip duplicates by it. */
  readonly id: string
  /** When this attempt was signed, to the second. The time of the event is `event.timestamp`. */
  readonly timestamp: Date
  readonly event: ContentEvent
}

const SCHEME = SCHEMES.standard

export function createStandardProtocol(
  options: ReceiverOptions,
): Protocol<StandardFacts, VerifiedStandardMessage, VerifiedContentEvent> {
  const toleranceMs = readToleranceMs(options)
  const now = readClock(options)
  return {
    scheme: SCHEME,
    readClaim: (headers) => readClaim(headers, now, toleranceMs),
    toMessage: (facts, body) => ({ ...facts, body }),
    toVerified: (facts, body) => ({ ...facts, event: parseContentEvent(body) }),
  }
}

function readClaim(headers: WebhookHeaders, now: () => number, toleranceMs: number): Claim<StandardFacts> {
  const values = readHeaders(headers, SCHEME.headers)
  const id = readId(values.id)
  const timestampSeconds = readTimestamp(values.timestamp)
  if (values.signature === undefined) {
    throw new WebhookVerificationError(
      'signature_missing',
      `The header ${SCHEME.headers.signature} is missing: the request is not signed.`,
    )
  }
  const timestampMs = timestampSeconds * 1000
  checkFreshness(timestampMs, now(), toleranceMs)
  return {
    facts: { id, timestamp: new Date(timestampMs) },
    signature: values.signature,
    prefix: signedContentPrefix(SCHEME, { id, timestampSeconds }),
  }
}

function readId(value: string | undefined): string {
  const name = SCHEME.headers.id
  if (value === undefined) throw new WebhookVerificationError('id_missing', `The header ${name} is missing.`)
  if (isMessageId(value)) return value
  throw new WebhookVerificationError(
    'id_malformed',
    `The header ${name} must have 1 to 256 visible ASCII characters and neither a dot nor a comma.`,
  )
}

function readTimestamp(value: string | undefined): number {
  const name = SCHEME.headers.timestamp
  if (value === undefined) {
    throw new WebhookVerificationError('timestamp_missing', `The header ${name} is missing.`)
  }
  const seconds = parseTimestampSeconds(value)
  if (seconds !== null) return seconds
  throw new WebhookVerificationError(
    'timestamp_malformed',
    `The header ${name} must be whole Unix seconds in decimal digits alone, such as 1767225600.`,
  )
}

function checkFreshness(timestampMs: number, nowMs: number, toleranceMs: number): void {
  const ageMs = nowMs - timestampMs
  if (ageMs > toleranceMs) {
    throw new WebhookVerificationError(
      'timestamp_too_old',
      `The request was signed ${ageMs / 1000} s ago; at most ${toleranceMs / 1000} s are tolerated. It may be a replay, or this clock is fast.`,
    )
  }
  if (-ageMs > toleranceMs) {
    throw new WebhookVerificationError(
      'timestamp_too_new',
      `The request was signed ${-ageMs / 1000} s in the future; at most ${toleranceMs / 1000} s are tolerated. Is this clock slow?`,
    )
  }
}
