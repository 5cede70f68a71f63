import type { EventType } from '../../../core/catalog.ts'
import type { Dialect } from '../../../core/dialect.ts'
import { SECOND_MS } from '../../../core/duration.ts'
import { HmacKey } from '../../../engine/attempt/hmacKey.ts'
import { headersByName } from '../../../engine/attempt/signedHeaders.ts'
import { SAMPLE_SECRET_BYTES, SAMPLE_TIME, type SampleRequest } from './service.ts'

/** The secret of the examples in the form that a customer would see. */
export const sampleSecret = ({ secrets }: Dialect) => secrets.format(SAMPLE_SECRET_BYTES)

/** A request as the dialect itself makes it, signed four seconds after the event. */
export function signedSample(
  dialect: Dialect,
  { type }: EventType,
  sent: { readonly eventId: string; readonly deliveryId: string; readonly body: string },
): SampleRequest {
  const key = new HmacKey(dialect.secrets.keyBytes(sampleSecret(dialect)))
  const flat = dialect.requestHeaders({
    ...sent,
    eventType: type,
    timestampSeconds: Math.floor(SAMPLE_TIME / SECOND_MS) + 4,
    keys: [key],
  })
  return { headers: headersByName(flat), body: sent.body }
}
