import type { EventType } from '../../../core/catalog.ts'
import type { Dialect } from '../../../core/dialect.ts'
import { SECOND_MS } from '../../../core/duration.ts'
import { headersByName } from '../../../engine/attempt/signedHeaders.ts'
import { SAMPLE_SECRET_BYTES, SAMPLE_TIME, SAMPLE_WEBHOOK_ID, type SampleRequest } from './service.ts'

/** The secret of the examples in the form that a customer would see. */
export const sampleSecret = ({ secrets }: Dialect) => secrets.format(SAMPLE_SECRET_BYTES)

/** A request as the dialect itself makes it, signed four seconds after the event. */
export function signedSample(
  dialect: Dialect,
  { type }: EventType,
  sent: { readonly eventId: string; readonly deliveryId: string; readonly body: string },
): SampleRequest {
  const key = dialect.secrets.keyOf(sampleSecret(dialect))
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
