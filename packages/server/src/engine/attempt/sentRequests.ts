import type { Dialect } from '../../core/dialect.ts'
import type { SentRequest } from '../../storage/rows.ts'
import type { SentRequestRecord } from '../engine.ts'
import type { SecretBox } from '../secretBox.ts'
import { headersByName, signedHeaders } from './signedHeaders.ts'

/**
 * Rebuilds the request of an attempt, byte for byte: bodies are kept, URLs and secrets have a history, and the signature
 * depends only on the second of the attempt.
 */
export function rebuildRequest(params: {
  readonly dialect: Dialect
  readonly secretBox: SecretBox
  readonly webhookPublicId: string
  readonly workspaceSlug: string
  readonly eventId: string
  readonly deliveryId: string
  readonly sent: SentRequest
}): SentRequestRecord {
  const { dialect, secretBox, webhookPublicId, workspaceSlug, eventId, deliveryId, sent } = params
  const { number, startedAt, url, secrets, event } = sent
  const keys = secrets.slice(0, dialect.secrets.maxSigning).map((sealed) => ({
    key: dialect.secrets.keyOf(secretBox.open(sealed, webhookPublicId)),
    expiresAt: null,
  }))
  const headers = signedHeaders({
    dialect,
    target: { keys, publicId: webhookPublicId, workspaceSlug },
    delivery: { eventType: event.type, body: event.body },
    attempt: number,
    startedAt,
    eventId: () => eventId,
    deliveryId: () => deliveryId,
  })
  return {
    number,
    method: 'POST',
    url,
    headers: {
      host: new URL(url).host,
      'content-length': String(Buffer.byteLength(event.body)),
      ...headersByName(headers),
    },
    body: event.body,
  }
}
