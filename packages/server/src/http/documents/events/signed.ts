import type { EventType } from '../../../core/catalog.ts'
import type { Dialect } from '../../../core/dialect.ts'
import { SECOND_MS } from '../../../core/duration.ts'
import { headersByName } from '../../../engine/attempt/signedHeaders.ts'
import { SAMPLE_SECRET_BYTES, SAMPLE_TIME, SAMPLE_WEBHOOK_ID, type SampleRequest } from './service.ts'

const storedSample = ({ secrets }: Dialect) => secrets.make(Buffer.alloc(secrets.bytes, SAMPLE_SECRET_BYTES))

/** What the signatures of the examples are verified with: the secret, or the public key where there is no secret. */
export function sampleSecret(dialect: Dialect): string {
  const stored = storedSample(dialect)
  return dialect.secrets.shown(stored) ?? dialect.secrets.publicKey(stored)!
}

/** A request as the dialect itself makes it, signed four seconds after the event. */
export function signedSample(
  dialect: Dialect,
  { type }: EventType,
  sent: { readonly eventId: string; readonly deliveryId: string; readonly body: string },
): SampleRequest {
  const key = dialect.secrets.keyOf(storedSample(dialect))
  const flat = dialect.requestHeaders({
    ...sent,
    eventType: type,
    webhookId: dialect.ids.webhook.format(SAMPLE_WEBHOOK_ID),
    workspaceSlug: 'spokewell',
    attempt: 1,
    timestampSeconds: Math.floor(SAMPLE_TIME / SECOND_MS) + 4,
    keys: [key],
  })
  return { headers: headersByName(flat), body: sent.body }
}
