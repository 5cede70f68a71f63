import { SEED_BYTES } from './ed25519Key.ts'
import type { Profile, SignatureScheme } from './profile.ts'

/** The prefix of the seed of a key pair, as in Standard Webhooks. */
const SEED_PREFIX = 'whsk_'

type SecretFacts = Pick<Profile, 'secret' | 'signatures'>

/** The stored parts of a secret. */
export interface SecretParts {
  /** The HMAC secret, in the form that a customer sees. */
  readonly shared: string
  /** Of the key pair; `null`: the secret was made while its profile had no Ed25519 signature. */
  readonly seed: Uint8Array | null
}

/** Whether requests are signed with Ed25519. */
export const hasKeyPair = ({ signatures }: Pick<Profile, 'signatures'>): boolean =>
  signatures.some(({ algorithm }) => algorithm === 'ed25519')

/** Whether requests are signed only with Ed25519: customers then need no secret. */
export const hasOnlyKeyPair = (profile: Pick<Profile, 'signatures'>): boolean =>
  hasKeyPair(profile) && profile.signatures.every(({ algorithm }) => algorithm === 'ed25519')

/** How many random bytes `makeSecret` takes. */
export const randomBytesFor = (profile: SecretFacts): number =>
  profile.secret.bytes + (hasKeyPair(profile) ? SEED_BYTES : 0)

/**
 * The stored text of a new secret: the part that customers see and, with an Ed25519 signature, a space and the seed. The seed
 * is random, so that the private key cannot be derived from the part that customers see.
 */
export function makeSecret(profile: SecretFacts, random: Uint8Array): string {
  if (!hasKeyPair(profile)) return formatShared(profile, random)
  const shared = formatShared(profile, random.subarray(0, -SEED_BYTES))
  return `${shared} ${SEED_PREFIX}${Buffer.from(random.subarray(-SEED_BYTES)).toString('base64')}`
}

function formatShared({ secret: { prefix, encoding } }: SecretFacts, random: Uint8Array): string {
  return prefix + Buffer.from(random).toString(encoding)
}

/** Splits a stored secret. @throws Error, without the secret in it, for an invalid seed */
export function secretParts(stored: string): SecretParts {
  const [shared, seed] = stored.split(` ${SEED_PREFIX}`, 2)
  if (seed === undefined) return { shared: stored, seed: null }
  const bytes = decoded(seed, 'base64')
  if (bytes.length !== SEED_BYTES) throw new Error(`the seed of a key pair has ${bytes.length} bytes`)
  return { shared: shared!, seed: bytes }
}

/** The part of a stored secret that customers see; `null`: they need none. */
export const shownPart = (profile: Pick<Profile, 'signatures'>, stored: string): string | null =>
  hasOnlyKeyPair(profile) ? null : secretParts(stored).shared

/**
 * The bytes of the HMAC key that a secret stands for.
 * @throws Error, without the secret in it, for a text that is no secret of the profile
 */
export function keyBytesOf(
  { secret: { prefix } }: Pick<Profile, 'secret'>,
  form: NonNullable<SignatureScheme['secret']>,
  secret: string,
): Uint8Array {
  if (!secret.startsWith(prefix)) throw new Error(`the secret does not begin with ${prefix}`)
  const rest = secret.slice(prefix.length)
  switch (form) {
    case 'utf8':
      return Buffer.from(secret, 'utf8')
    case 'hex':
      return decoded(rest, 'hex')
    case 'base64-after-prefix':
      return decoded(rest, 'base64')
  }
}

/** Node ignores characters that it cannot decode; a key must not lose a part that way. */
function decoded(text: string, encoding: 'hex' | 'base64'): Uint8Array {
  const bytes = Buffer.from(text, encoding)
  const again = bytes.toString(encoding)
  if (again !== text && again.replace(/=+$/, '') !== text) throw new Error(`the secret is not ${encoding}`)
  return bytes
}
