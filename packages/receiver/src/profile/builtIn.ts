import { STANDARD as FACTS, MAX_ENTRIES } from '../core/facts.ts'
import type { ProfileParts } from './parts.ts'

/** Standard Webhooks 1.0, symmetric. Profiles are as it is in what they leave out. */
export const STANDARD: ProfileParts = {
  envelope: {
    members: [
      { path: 'type', field: 'type' },
      { path: 'timestamp', field: 'time', as: 'iso-ms' },
      { path: 'data', field: 'data' },
    ],
  },
  headers: {
    'webhook-id': '{id}',
    'webhook-timestamp': '{timestamp}',
    'webhook-signature': '{signatures}',
  },
  signatures: [
    {
      content: `${FACTS.signed.map((field) => `{${field}}.`).join('')}{body}`,
      algorithm: 'hmac-sha256',
      encoding: FACTS.encoding,
      secret: 'base64-after-prefix',
      each: `${FACTS.prefix}{signature}`,
      join: FACTS.separator,
      most: MAX_ENTRIES,
    },
  ],
  secret: { prefix: FACTS.secret.prefix },
}
