import { decodeHex } from '../core/encoding.ts'
import { BASE64, type SecretForm, UTF8 } from '../core/secrets.ts'

/** Placeholders that headers and signed content can show. */
export const FIELDS = [
  'id',
  'timestamp',
  'timestamp:iso',
  'type',
  'delivery_id',
  'attempt',
  'workspace.slug',
  'webhook_id',
] as const

export type Field = (typeof FIELDS)[number]

export const isTime = (field: string) => field === 'timestamp' || field === 'timestamp:iso'

/** The two forms of the time say the same, so each is known where the other is. */
export const sameFact = (one: string, other: string) => one === other || (isTime(one) && isTime(other))

/** `hash` is named as Web Crypto names it. `bytes` are those of a signature. */
export const ALGORITHMS = {
  'hmac-sha256': { hash: 'SHA-256', bytes: 32 },
  'hmac-sha512': { hash: 'SHA-512', bytes: 64 },
  ed25519: { hash: null, bytes: 64 },
} as const

type Algorithm = keyof typeof ALGORITHMS

const HEX: SecretForm = {
  decode: decodeHex,
  mistake: ['secret_not_hex', 'Not lower-case hex after its prefix. Copy it whole.'],
}

/** How a secret becomes the bytes of a key, and how many there may be. */
export const SECRET_FORMS = {
  'base64-after-prefix': { form: BASE64, minKeyBytes: 24, maxKeyBytes: 64 },
  hex: { form: HEX, minKeyBytes: 24, maxKeyBytes: 64 },
  utf8: { form: UTF8, minKeyBytes: 16, maxKeyBytes: 1024 },
} as const

export type SecretFormName = keyof typeof SECRET_FORMS

/** What tells keys of Ed25519 from secrets, as Standard Webhooks writes them. */
export const PUBLIC_KEY_PREFIX = 'whpk_'
export const PRIVATE_KEY_PREFIX = 'whsk_'

export const TIME_FORMS = ['iso-ms', 'unix-s', 'unix-ms'] as const

/** One kind of signature, as profiles write it. */
export interface SignatureParts {
  /** A template that ends with `{body}`. */
  readonly content: string
  readonly algorithm: Algorithm
  readonly encoding: 'hex' | 'base64'
  /** Not for `ed25519`. */
  readonly secret?: SecretFormName
  /** A template with one `{signature}`. */
  readonly each: string
  /** Between two signatures; without it there is one only. */
  readonly join?: string
  /** Signatures in one request at most; 1 if left out. */
  readonly most?: number
}

/** A member of the body. */
export interface EnvelopeMember {
  readonly path: string
  /** What it holds; absent for a constant. */
  readonly field?: string
  readonly as?: (typeof TIME_FORMS)[number]
}

/** How the requests of a profile look, with nothing left out. */
export interface RequestParts {
  /** Templates by name. */
  readonly headers: Readonly<Record<string, string>>
  /** None: requests are not signed. */
  readonly signatures: readonly SignatureParts[]
  readonly secret: { readonly prefix: string }
}

/** All that a receiver reads of a profile. */
export interface ProfileParts extends RequestParts {
  readonly envelope: { readonly bare: true } | { readonly members: readonly EnvelopeMember[] }
}
