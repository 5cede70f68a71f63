import { createFreshnessCheck } from './core/freshness.ts'
import type { Scheme } from './core/scheme.ts'
import type { ContentEvent } from './events/content.ts'
import {
  parseStandardEvent,
  type StandardEnvelope,
  type VerifiedStandardEvent,
  type VerifiedStandardMessage,
} from './events/standard.ts'
import { STANDARD } from './profile/builtIn.ts'
import { readKeys } from './profile/keys.ts'
import type { RequestParts } from './profile/parts.ts'
import { createVerifier } from './profile/verifier.ts'

const { secret: _, ...HMAC } = STANDARD.signatures[0]!
const PARTS: RequestParts = {
  ...STANDARD,
  signatures: [{ ...HMAC, algorithm: 'ed25519', each: 'v1a,{signature}' }],
}

/**
 * Standard Webhooks 1.0, asymmetric: `secrets` are public keys, `whpk_…`, and nothing that is stored here can sign.
 *
 * @typeParam Event such as the type that `posthorn service types` prints; of the content workflow service if left out
 */
export function ed25519Scheme<Event extends StandardEnvelope<string, unknown> = ContentEvent>(): Scheme<
  VerifiedStandardEvent<Event>,
  VerifiedStandardMessage
> {
  return {
    open(options) {
      const verifier = createVerifier(PARTS, readKeys(PARTS, options))
      const checkFreshness = createFreshnessCheck(options)
      return (headers) => {
        const request = verifier.read(headers, checkFreshness)
        // Both are signed, so both are there.
        const known = { id: request.values.get('id')!, timestamp: request.timestamp! }
        return {
          verify: (body) => verifier.verify(request, body),
          toVerified: (body) => ({ ...known, ...parseStandardEvent(body) }) as VerifiedStandardEvent<Event>,
          toMessage: (body) => ({ ...known, body }),
        }
      }
    },
  }
}
