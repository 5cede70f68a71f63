import type { Dialect, SigningInput, SigningKey } from '../../core/dialect.ts'
import { SECOND_MS } from '../../core/duration.ts'
import type { LeasedDelivery } from '../../storage/rows.ts'
import type { Target } from '../schedule/lane.ts'
import { USER_AGENT } from './version.ts'

const TRANSPORT_HEADERS = [
  'content-type',
  'application/json',
  'user-agent',
  USER_AGENT,
  'accept-encoding',
  'identity',
]

/** The values that one attempt signs. Each dialect shows one of the two ids, so each is computed only when needed. */
export interface Signing {
  readonly dialect: Dialect
  readonly target: Pick<Target, 'keys' | 'publicId' | 'workspaceSlug'>
  readonly delivery: Pick<LeasedDelivery, 'eventType' | 'body'>
  /** The number of the attempt. */
  readonly attempt: number
  /** Unix ms. */
  readonly startedAt: number
  readonly eventId: () => string
  readonly deliveryId: () => string
}

/** The headers of one attempt, signed under the secrets that are valid when it starts. */
export function signedHeaders(signing: Signing): string[] {
  return TRANSPORT_HEADERS.concat(signing.dialect.requestHeaders(new Input(signing)))
}

class Input implements SigningInput {
  readonly eventType: string
  readonly body: string
  readonly timestampSeconds: number
  readonly keys: readonly SigningKey[]
  readonly #signing: Signing

  constructor(signing: Signing) {
    const { delivery, target, startedAt } = signing
    this.#signing = signing
    this.eventType = delivery.eventType
    this.body = delivery.body
    this.timestampSeconds = Math.floor(startedAt / SECOND_MS)
    this.keys = keysAt(target, startedAt)
  }

  get eventId(): string {
    return this.#signing.eventId()
  }

  get deliveryId(): string {
    return this.#signing.deliveryId()
  }

  get webhookId(): string {
    return this.#signing.target.publicId
  }

  get workspaceSlug(): string {
    return this.#signing.target.workspaceSlug
  }

  get attempt(): number {
    return this.#signing.attempt
  }
}

/** @param flat names and values in turn, as they are sent */
export function headersByName(flat: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let i = 0; i < flat.length; i += 2) headers[flat[i]!] = flat[i + 1]!
  return headers
}

function keysAt(target: Pick<Target, 'keys'>, now: number): SigningKey[] {
  const keys: SigningKey[] = []
  for (const { key, expiresAt } of target.keys) {
    if (expiresAt === null || expiresAt > now) keys.push(key)
  }
  return keys
}
