import { decodeBase64, encodeBase64, encodeBase64Url, encodeHex, encodeUtf8 } from './encoding.ts'

/** A fact that is signed ahead of the body. */
export type SignedField = 'id' | 'timestamp'

/** Everything that tells one signature scheme from another. Lengths of keys and MACs are in bytes. */
export interface SignatureScheme {
  readonly name: string
  /** Named as Web Crypto names it; `createHmac` of node:crypto takes the same name. */
  readonly hash: 'SHA-256'
  readonly macBytes: number
  /** Header names as they are sent. Receivers compare them without regard to letter case. */
  readonly headers: { readonly signature: string; readonly [role: string]: string }
  readonly signature: {
    /** Stands before the encoded MAC in each entry. */
    readonly prefix: string
    readonly encoding: 'base64' | 'hex'
    /** Between two entries; `null` where the header holds exactly one. */
    readonly separator: string | null
    readonly maxEntries: number
    /** Characters of the whole header. */
    readonly maxLength: number
  }
  /** Each is followed by a dot; the raw body comes last. */
  readonly signedFields: readonly SignedField[]
  readonly secret: {
    readonly prefix: string
    /** `base64`: the key is the decoded rest. `utf8`: the key is the UTF-8 bytes of the text itself. */
    readonly encoding: 'base64' | 'utf8'
    readonly minKeyBytes: number
    readonly maxKeyBytes: number
    /** Random bytes that a new secret is made of. */
    readonly randomBytes: number
  }
}

/** The signature facts of both schemes, for the server that signs and for the receivers that verify. */
export const SCHEMES = {
  /** Standard Webhooks 1.0, symmetric. Source: https://www.standardwebhooks.com */
  standard: {
    name: 'standard',
    hash: 'SHA-256',
    macBytes: 32,
    headers: { id: 'webhook-id', timestamp: 'webhook-timestamp', signature: 'webhook-signature' },
    signature: { prefix: 'v1,', encoding: 'base64', separator: ' ', maxEntries: 16, maxLength: 4096 },
    signedFields: ['id', 'timestamp'],
    secret: { prefix: 'whsec_', encoding: 'base64', minKeyBytes: 24, maxKeyBytes: 64, randomBytes: 32 },
  },
  /** The advertising platform's scheme: a hex HMAC over the raw body alone. */
  service: {
    name: 'service',
    hash: 'SHA-256',
    macBytes: 32,
    headers: {
      event: 'X-Service-Event',
      delivery: 'X-Service-Delivery',
      signature: 'X-Service-Signature',
    },
    signature: { prefix: 'sha256=', encoding: 'hex', separator: null, maxEntries: 1, maxLength: 4096 },
    signedFields: [],
    secret: { prefix: '', encoding: 'utf8', minKeyBytes: 16, maxKeyBytes: 1024, randomBytes: 32 },
  },
} as const satisfies Record<string, SignatureScheme>

export type SchemeName = keyof typeof SCHEMES

export type SecretErrorCode =
  | 'secret_not_string'
  | 'secret_empty'
  | 'secret_has_whitespace'
  | 'secret_has_version_prefix'
  | 'secret_prefix_missing'
  | 'secret_not_base64'
  | 'secret_not_unicode'
  | 'secret_too_short'
  | 'secret_too_long'

export type SchemeErrorCode =
  | SecretErrorCode
  | 'id_malformed'
  | 'timestamp_malformed'
  | 'mac_malformed'
  | 'signature_count'

/** A value that the scheme does not allow. Its message never repeats a secret. */
export class SchemeError extends Error {
  override readonly name = 'SchemeError'
  readonly code: SchemeErrorCode

  constructor(code: SchemeErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

// A dot would let one signed content be read as two different messages, and a comma or white space would let
// two header values pass for one.
const MESSAGE_ID = /^[!-+\-/-~]{1,256}$/

// Twelve digits reach the year 33658; a thirteen-digit number is a time in milliseconds.
const UNIX_SECONDS = /^[1-9][0-9]{0,11}$/

/** Whether `text` can be a signed message id: 1 to 256 visible ASCII characters, no dot and no comma. */
export function isMessageId(text: string): boolean {
  return MESSAGE_ID.test(text)
}

/** Reads a signed timestamp: whole Unix seconds in plain decimal digits. Anything else is `null`. */
export function parseTimestampSeconds(text: string): number | null {
  return UNIX_SECONDS.test(text) ? Number(text) : null
}

/**
 * The HMAC key that a secret stands for.
 *
 * @param limits `minKeyBytes` replaces the scheme's own lower bound.
 * @throws {SchemeError} with a `SecretErrorCode` that says why the secret is refused.
 */
export function decodeSecret(
  scheme: SignatureScheme,
  secret: string,
  limits: { readonly minKeyBytes?: number } = {},
): Uint8Array {
  checkSecretText(scheme, secret)
  const key = scheme.secret.encoding === 'base64' ? decodeBase64Key(scheme, secret) : decodeTextKey(secret)
  const { maxKeyBytes } = scheme.secret
  const minKeyBytes = limits.minKeyBytes ?? scheme.secret.minKeyBytes
  if (key.length < minKeyBytes) {
    throw new SchemeError(
      'secret_too_short',
      `The secret gives a key of ${key.length} bytes; at least ${minKeyBytes} are needed. Copy the whole secret.`,
    )
  }
  if (key.length > maxKeyBytes) {
    throw new SchemeError(
      'secret_too_long',
      `The secret gives a key of ${key.length} bytes; at most ${maxKeyBytes} are allowed. Copy the secret alone.`,
    )
  }
  return key
}

function checkSecretText({ secret: { prefix } }: SignatureScheme, secret: unknown): asserts secret is string {
  if (typeof secret !== 'string') {
    throw new SchemeError('secret_not_string', `The secret must be a string, not ${typeof secret}.`)
  }
  if (secret === '') {
    throw new SchemeError('secret_empty', 'The secret is empty. Is its environment variable set?')
  }
  if (secret.trim() !== secret) {
    throw new SchemeError('secret_has_whitespace', 'The secret has white space around it. Remove it.')
  }
  if (secret.startsWith(prefix)) return
  if (/^v\d+\w?,/.test(secret)) {
    throw new SchemeError(
      'secret_has_version_prefix',
      `The secret begins with a signature version such as "v1,", which belongs to signatures. Remove it, so that the secret begins with "${prefix}".`,
    )
  }
  throw new SchemeError('secret_prefix_missing', `The secret must begin with "${prefix}".`)
}

function decodeBase64Key({ secret: { prefix } }: SignatureScheme, secret: string): Uint8Array {
  const key = decodeBase64(secret.slice(prefix.length))
  if (key !== null) return key
  throw new SchemeError(
    'secret_not_base64',
    `What follows "${prefix}" in the secret is not standard base64 with its padding.`,
  )
}

function decodeTextKey(secret: string): Uint8Array {
  const key = encodeUtf8(secret)
  if (key !== null) return key
  throw new SchemeError(
    'secret_not_unicode',
    'The secret holds half of a surrogate pair, so it has no bytes.',
  )
}

/**
 * A new secret from random bytes: behind the prefix in base64, or as base64url where the text itself is the key.
 *
 * @param randomBytes `scheme.secret.randomBytes` bytes from a cryptographic generator.
 * @throws {SchemeError} if the secret made of them would be refused by {@link decodeSecret}.
 */
export function formatSecret(scheme: SignatureScheme, randomBytes: Uint8Array): string {
  const { prefix, encoding } = scheme.secret
  const text = encoding === 'base64' ? encodeBase64(randomBytes) : encodeBase64Url(randomBytes)
  const secret = prefix + text
  decodeSecret(scheme, secret)
  return secret
}

/**
 * What the HMAC reads ahead of the raw body; empty for a scheme that signs the body alone. ASCII, so that it may
 * be fed to the HMAC as a string too.
 *
 * @param fields `timestampSeconds` is the whole Unix second of this attempt.
 * @throws {SchemeError} `id_malformed` or `timestamp_malformed`, for a field that this scheme signs.
 */
export function signedContentPrefix(
  scheme: SignatureScheme,
  fields: { readonly id: string; readonly timestampSeconds: number },
): string {
  let prefix = ''
  for (const field of scheme.signedFields) prefix += `${signedFieldText(field, fields)}.`
  return prefix
}

function signedFieldText(
  field: SignedField,
  { id, timestampSeconds }: { readonly id: string; readonly timestampSeconds: number },
): string {
  if (field === 'id') {
    if (isMessageId(id)) return id
    throw new SchemeError(
      'id_malformed',
      'A message id is 1 to 256 visible ASCII characters, no dot, no comma.',
    )
  }
  const text = String(timestampSeconds)
  if (parseTimestampSeconds(text) !== null) return text
  throw new SchemeError('timestamp_malformed', 'A timestamp is a whole, positive number of Unix seconds.')
}

/**
 * One entry of the signature header, such as `v1,K5oZ…` or `sha256=0b1c…`.
 *
 * @throws {SchemeError} `mac_malformed` unless `mac` has `scheme.macBytes` bytes.
 */
export function formatSignature(scheme: SignatureScheme, mac: Uint8Array): string {
  if (mac.length !== scheme.macBytes) {
    throw new SchemeError('mac_malformed', `A MAC has ${scheme.macBytes} bytes, not ${mac.length}.`)
  }
  const { prefix, encoding } = scheme.signature
  return prefix + (encoding === 'base64' ? encodeBase64(mac) : encodeHex(mac))
}

/**
 * The value of the signature header, from the entries of all secrets that sign, newest first.
 *
 * @throws {SchemeError} `signature_count` for none, or for more than the header may hold.
 */
export function joinSignatures(scheme: SignatureScheme, entries: readonly string[]): string {
  const { separator, maxEntries } = scheme.signature
  if (entries.length === 0 || entries.length > maxEntries) {
    throw new SchemeError(
      'signature_count',
      `The header ${scheme.headers.signature} holds 1 to ${maxEntries} signatures, not ${entries.length}.`,
    )
  }
  return entries.join(separator ?? '')
}
