import type { SigningInput, SigningKey } from '../core/dialect.ts'
import { Ed25519Key } from './ed25519Key.ts'
import { HmacKey } from './hmacKey.ts'
import { isoTime } from './isoTime.ts'
import type { Profile, SignatureScheme } from './profile.ts'
import { hasKeyPair, keyBytesOf, type SecretParts, secretParts } from './secrets.ts'
import { filler, namesIn, partsOf } from './templates.ts'

/** What templates of signed content can show before the body. */
export const CONTENT_FIELDS = [
  'id',
  'timestamp',
  'timestamp:iso',
  'type',
  'delivery_id',
  'attempt',
  'workspace.slug',
  'webhook_id',
] as const

/** What templates of headers can show. */
export const HEADER_FIELDS = [...CONTENT_FIELDS, 'signatures'] as const

const GETTERS: Readonly<Record<(typeof CONTENT_FIELDS)[number], (input: SigningInput) => string>> = {
  id: (input) => input.eventId,
  timestamp: (input) => String(input.timestampSeconds),
  'timestamp:iso': (input) => isoTime(input.timestampSeconds * 1000),
  type: (input) => input.eventType,
  delivery_id: (input) => input.deliveryId,
  attempt: (input) => String(input.attempt),
  'workspace.slug': (input) => input.workspaceSlug,
  webhook_id: (input) => input.webhookId,
}

const HASHES = { 'hmac-sha256': 'sha256', 'hmac-sha512': 'sha512' } as const

/** The signing keys of one secret. */
class Keys implements SigningKey {
  /** By scheme; `null`: the scheme signs with the key pair. */
  readonly #hmac: readonly (HmacKey | null)[]
  readonly #keyPair: Ed25519Key | null

  constructor(profile: Profile, stored: string) {
    const parts = secretParts(stored)
    this.#hmac = profile.signatures.map(({ algorithm, secret: form }) =>
      algorithm === 'ed25519'
        ? null
        : new HmacKey(HASHES[algorithm], keyBytesOf(profile, form!, parts.shared)),
    )
    this.#keyPair = keyPairOf(profile, parts)
    const signsNothing = this.#keyPair === null && this.#hmac.every((hmac) => hmac === null)
    if (signsNothing && profile.signatures.length > 0)
      throw new Error('the secret supports only HMAC; rotate it to sign with a key pair')
  }

  sign(scheme: number, prefix: string, body: string, encoding: 'base64' | 'hex'): string | null {
    const hmac = this.#hmac[scheme]
    // Two calls, so that each sees objects of one class: HMAC is the hot path.
    if (hmac != null) return hmac.sign(prefix, body, encoding)
    return this.#keyPair === null ? null : this.#keyPair.sign(prefix, body, encoding)
  }
}

/** @returns `null`: the profile has no Ed25519 signature, or had none when the secret was made */
function keyPairOf(profile: Profile, { seed }: SecretParts): Ed25519Key | null {
  return hasKeyPair(profile) && seed !== null ? new Ed25519Key(seed) : null
}

/** Creates the signing keys of a stored secret. @throws Error for a text that is not a secret of the profile */
export const keyMaker =
  (profile: Profile) =>
  (stored: string): SigningKey =>
    new Keys(profile, stored)

/** As Standard Webhooks has it. */
const PUBLIC_KEY_PREFIX = 'whpk_'

/** Makes the public key that belongs to a stored secret; `null`: it has none. @throws as `keyMaker` */
export const publicKeyMaker =
  (profile: Profile) =>
  (stored: string): string | null => {
    const keyPair = keyPairOf(profile, secretParts(stored))
    return keyPair && PUBLIC_KEY_PREFIX + Buffer.from(keyPair.publicKey).toString('base64')
  }

/** How many secrets sign one request at most. */
export const maxSigning = ({ signatures }: Pick<Profile, 'signatures'>): number =>
  Math.max(1, ...signatures.map(({ most, join }) => (join === undefined ? 1 : (most ?? 1))))

/** The header with the signatures; `null`: requests are not signed. */
export function signatureHeaderOf({ headers }: Pick<Profile, 'headers'>): string | null {
  const found = Object.entries(headers).find(([, template]) =>
    namesIn(partsOf(template, HEADER_FIELDS)).includes('signatures'),
  )
  return found?.[0] ?? null
}

/** The header with one value and nothing else; `null`: there is none. */
export const headerShowing = (
  { headers }: Pick<Profile, 'headers'>,
  field: (typeof HEADER_FIELDS)[number],
): string | null => Object.entries(headers).find(([, template]) => template === `{${field}}`)?.[0] ?? null

/** Makes the headers of requests, names and values in turn, without those of the transport. */
export function headerWriter(profile: Profile): (input: SigningInput) => string[] {
  const getters = { ...GETTERS, signatures: signer(profile.signatures) }
  const headers = Object.entries(profile.headers).map(([name, template]) => ({
    name,
    fill: filler(partsOf(template, HEADER_FIELDS), getters),
  }))
  return (input) => {
    const flat: string[] = []
    for (const { name, fill } of headers) flat.push(name, fill(input))
    return flat
  }
}

function signer(schemes: readonly SignatureScheme[]): (input: SigningInput) => string {
  const signers = schemes.map(signerOf)
  if (signers.length === 1) return signers[0]!
  // Receivers recognize the kind of each signature by its prefix.
  return (input) =>
    signers
      .map((sign) => sign(input))
      .filter((signatures) => signatures !== '')
      .join(schemes[0]?.join ?? '')
}

function signerOf(
  { content, each, join, most = 1, encoding }: SignatureScheme,
  scheme: number,
): (input: SigningInput) => string {
  const parts = partsOf(content, [...CONTENT_FIELDS, 'body']).slice(0, -1)
  const prefixOf = filler(parts, GETTERS)
  const [before = '', after = ''] = each.split('{signature}').map((text) => text.replaceAll('{{', '{'))
  const atMost = join === undefined ? 1 : most
  return (input) => {
    const { body, keys } = input
    const prefix = prefixOf(input)
    let text = ''
    for (let i = 0; i < keys.length && i < atMost; i++) {
      const signature = keys[i]!.sign(scheme, prefix, body, encoding)
      if (signature === null) continue
      if (text !== '') text += join
      text += before + signature + after
    }
    return text
  }
}
