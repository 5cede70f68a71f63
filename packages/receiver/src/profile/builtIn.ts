import type { ProfileParts, RequestParts } from './parts.ts'

/** Standard Webhooks 1.0, symmetric. Profiles are as it is in what they leave out. */
export const STANDARD = {
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
      content: '{id}.{timestamp}.{body}',
      algorithm: 'hmac-sha256',
      encoding: 'base64',
      secret: 'base64-after-prefix',
      each: 'v1,{signature}',
      join: ' ',
      most: 16,
    },
  ],
  secret: { prefix: 'whsec_' },
} as const satisfies ProfileParts

/** The advertising platform: a hex HMAC over the raw body alone. */
export const ADS = {
  headers: {
    'X-Service-Event': '{type}',
    'X-Service-Delivery': '{delivery_id}',
    'X-Service-Signature': '{signatures}',
  },
  signatures: [
    {
      content: '{body}',
      algorithm: 'hmac-sha256',
      encoding: 'hex',
      secret: 'utf8',
      each: 'sha256={signature}',
    },
  ],
  secret: { prefix: '' },
} as const satisfies RequestParts
