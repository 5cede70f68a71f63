import { BASE64, type SecretRule, UTF8 } from './secrets.ts'

/** What a value that is read must be: part of the codes of its errors, and its form. */
type ValueRule = readonly [code: string, pattern?: RegExp, shape?: string]

/** What tells one scheme of HMAC-SHA256 from another. */
export interface HmacFacts {
  /** Names as they are sent; receivers compare them without regard to letter case. */
  readonly headers: Readonly<Record<string, ValueRule>>
  /** Stands before the encoded MAC in each entry. */
  readonly prefix: string
  readonly encoding: 'base64' | 'hex'
  /** Between two entries; empty where the header holds exactly one. */
  readonly separator: string
  /** Values that are signed ahead of the body, each followed by a dot. */
  readonly signed: readonly string[]
  readonly secret: SecretRule
}

export const MAC_BYTES = 32
export const MAX_ENTRIES = 16
/** Characters of a signature header that are read at most, unless a profile's own signatures need more. */
export const MAX_SIGNATURES_LENGTH = 4096

// A dot would let one signed content be read as two different messages, and a comma or white space would let
// two header values pass for one.
export const MESSAGE_ID = /^[!-+\-/-~]{1,256}$/

// Any version, since the version is the sender's choice.
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

// Twelve digits reach the year 33658; a thirteen-digit number is a time in milliseconds.
export const UNIX_SECONDS = /^[1-9][0-9]{0,11}$/

/** Standard Webhooks 1.0, symmetric. Source: https://www.standardwebhooks.com */
export const STANDARD = {
  headers: {
    'webhook-id': ['id', MESSAGE_ID, 'visible ASCII without dot and comma, at most 256'],
    'webhook-timestamp': ['timestamp', UNIX_SECONDS, 'whole Unix seconds'],
    'webhook-signature': ['signature'],
  },
  prefix: 'v1,',
  encoding: 'base64',
  separator: ' ',
  signed: ['id', 'timestamp'],
  secret: { prefix: 'whsec_', form: BASE64, minKeyBytes: 24, maxKeyBytes: 64 },
} as const satisfies HmacFacts

/** The advertising platform's scheme: a hex HMAC over only the raw body. */
export const SERVICE = {
  headers: {
    'X-Service-Event': ['event_type'],
    'X-Service-Delivery': ['delivery_id', UUID, 'a UUID'],
    'X-Service-Signature': ['signature'],
  },
  prefix: 'sha256=',
  encoding: 'hex',
  separator: '',
  signed: [],
  secret: { prefix: '', not: 'whsec_', form: UTF8, minKeyBytes: 16, maxKeyBytes: 1024 },
} as const satisfies HmacFacts
