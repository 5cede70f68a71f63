import { encodeBase64, encodeBase64Url, encodeHex } from './core/encoding.ts'
import {
  type HmacFacts,
  MAC_BYTES,
  MAX_ENTRIES,
  MAX_SIGNATURES_LENGTH,
  MESSAGE_ID,
  SERVICE,
  STANDARD,
  UNIX_SECONDS,
} from './core/facts.ts'
import { BASE64, keyOf, type SecretErrorCode, UTF8 } from './core/secrets.ts'

export type { SecretErrorCode }

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

/** The signature facts of both schemes, for receivers that verify, senders of their own, and documents. */
export const SCHEMES = {
  /** Standard Webhooks 1.0, symmetric. Source: https://www.standardwebhooks.com */
  standard: schemeOf('standard', STANDARD, { id: 'id', timestamp: 'timestamp', signature: 'signature' }),
  /** The advertising platform's scheme: a hex HMAC over only the raw body. */
  service: schemeOf('service', SERVICE, {
    event: 'event_type',
    delivery: 'delivery_id',
    signature: 'signature',
  }),
} satisfies Record<string, SignatureScheme>

/** @param roles codes of the headers, by the names that senders know them by */
function schemeOf<const Name extends string, Role extends string>(
  name: Name,
  { headers, prefix, encoding, separator, signed, secret }: HmacFacts,
  roles: Readonly<Record<Role, string>>,
) {
  const nameOf = (code: string) => Object.keys(headers).find((header) => headers[header]![0] === code) ?? ''
  const { form, ...limits } = secret
  return {
    name,
    hash: 'SHA-256' as const,
    macBytes: MAC_BYTES,
    headers: Object.fromEntries(
      Object.entries<string>(roles).map(([role, code]) => [role, nameOf(code)]),
    ) as Readonly<Record<Role, string>>,
    signature: {
      prefix,
      encoding,
      separator: separator === '' ? null : separator,
      maxEntries: separator === '' ? 1 : MAX_ENTRIES,
      maxLength: MAX_SIGNATURES_LENGTH,
    },
    signedFields: signed as readonly SignedField[],
    secret: { ...limits, encoding: form === UTF8 ? ('utf8' as const) : ('base64' as const), randomBytes: 32 },
  }
}

export type SchemeName = keyof typeof SCHEMES

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
  const { prefix, encoding, minKeyBytes, maxKeyBytes } = scheme.secret
  const form = encoding === 'base64' ? BASE64 : UTF8
  const key = keyOf({ prefix, form, minKeyBytes: limits.minKeyBytes ?? minKeyBytes, maxKeyBytes }, secret)
  if (key instanceof Uint8Array) return key
  throw new SchemeError(...key)
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
 * What the HMAC reads ahead of the raw body; empty for a scheme that signs only the body. ASCII, so that it may
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
      'A message id has 1 to 256 visible ASCII characters, without dots and commas.',
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
      `The header ${scheme.headers.signature} can have 1 to ${maxEntries} signatures, not ${entries.length}.`,
    )
  }
  return entries.join(separator ?? '')
}
