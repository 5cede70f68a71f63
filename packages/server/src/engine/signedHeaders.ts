import type { KeyObject } from 'node:crypto'
import type { Dialect, SigningInput } from '../core/dialect.ts'
import { SECOND_MS } from '../core/duration.ts'
import type { LeasedDelivery } from '../storage/rows.ts'
import type { Target } from './targets.ts'
import { USER_AGENT } from './version.ts'

const TRANSPORT_HEADERS = [
  'content-type',
  'application/json',
  'user-agent',
  USER_AGENT,
  'accept-encoding',
  'identity',
]

/** The headers of one attempt, signed under the secrets that are valid as it starts. */
export function signedHeaders(params: {
  readonly dialect: Dialect
  readonly target: Pick<Target, 'keys'>
  readonly delivery: Pick<LeasedDelivery, 'eventType' | 'body'>
  /** Unix ms. */
  readonly startedAt: number
  readonly eventId: () => string
  readonly deliveryId: () => string
}): string[] {
  const { dialect, target, delivery, startedAt, eventId, deliveryId } = params
  const input: SigningInput = {
    // Each dialect shows the world one of the two, so neither is worked out before it is asked for.
    get eventId() {
      return eventId()
    },
    get deliveryId() {
      return deliveryId()
    },
    eventType: delivery.eventType,
    body: delivery.body,
    timestampSeconds: Math.floor(startedAt / SECOND_MS),
    keys: keysAt(target, startedAt),
  }
  return TRANSPORT_HEADERS.concat(dialect.requestHeaders(input))
}

/** @param flat names and values in turn, as they are sent */
export function headersByName(flat: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let i = 0; i < flat.length; i += 2) headers[flat[i]!] = flat[i + 1]!
  return headers
}

function keysAt(target: Pick<Target, 'keys'>, now: number): KeyObject[] {
  const keys: KeyObject[] = []
  for (const { key, expiresAt } of target.keys) {
    if (expiresAt === null || expiresAt > now) keys.push(key)
  }
  return keys
}
