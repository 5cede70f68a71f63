import { decodeBase64 } from './encoding.ts'
import { ReceiverConfigurationError } from './errors.ts'
import { PRIVATE_KEY_PREFIX, PUBLIC_KEY_PREFIX, type RequestParts, SECRET_FORMS } from './profile/parts.ts'
import { checkSecretText, keyOf, SecretError, type SecretRule } from './secrets.ts'

// Each secret costs one more hash of the whole body. A rotation needs two.
const MAX_SECRETS = 8

// 128 bits: below that a key can be searched for, whatever the sender's rules were.
const LOWEST_MIN_KEY_BYTES = 16

const PUBLIC_KEY_TEXT = /^whpk_[A-Za-z0-9+/]{43}=$/
const PUBLIC_KEY_BYTES = 32

/**
 * The keys of the secrets, for each signature of a profile.
 *
 * @throws {ReceiverConfigurationError} `secrets_missing`, `secrets_too_many`, `min_key_bytes_invalid` or a
 *   `SecretErrorCode`.
 */
export function readKeys(
  parts: RequestParts,
  options: { readonly secrets?: unknown; readonly minKeyBytes?: number | undefined },
): Uint8Array[][] {
  const rules = secretRules(parts, options.minKeyBytes)
  const secrets: readonly unknown[] = Array.isArray(options.secrets) ? options.secrets : [options.secrets]
  checkSecretCount(secrets)
  const keys: Uint8Array[][] = rules.map(() => [])
  for (const [index, secret] of secrets.entries()) {
    const which = secrets.length === 1 ? '' : `Secret ${index + 1} of ${secrets.length}: `
    for (const [signature, key] of readSecret(rules, secret, which)) keys[signature]!.push(key)
  }
  return keys
}

/** What secrets must be, for each signature; `null`: it is verified with a public key. */
function secretRules(
  { signatures, secret: { prefix } }: RequestParts,
  minKeyBytes: number | undefined,
): (SecretRule | null)[] {
  const rules = signatures.map(({ secret: form }) =>
    form === undefined ? null : { prefix, form, ...SECRET_FORMS[form] },
  )
  if (minKeyBytes === undefined || minKeyBytes === null) return rules
  const limits = rules.flatMap((rule) => (rule === null ? [] : [rule.maxKeyBytes]))
  if (limits.length === 0) {
    throw new ReceiverConfigurationError(
      'option_unsupported',
      'minKeyBytes is for HMAC secrets, and these requests are signed with key pairs alone. Leave it out.',
    )
  }
  const maxKeyBytes = Math.min(...limits)
  if (!Number.isInteger(minKeyBytes) || minKeyBytes < LOWEST_MIN_KEY_BYTES || minKeyBytes > maxKeyBytes) {
    throw new ReceiverConfigurationError(
      'min_key_bytes_invalid',
      `minKeyBytes must be a whole number from ${LOWEST_MIN_KEY_BYTES} to ${maxKeyBytes}.`,
    )
  }
  return rules.map((rule) => rule && { ...rule, minKeyBytes })
}

function checkSecretCount(secrets: readonly unknown[]): void {
  if (secrets.length === 0 || secrets[0] === undefined || secrets[0] === null) {
    throw new ReceiverConfigurationError(
      'secrets_missing',
      'No signing secret was given. Pass the one that was shown when the webhook was created.',
    )
  }
  if (secrets.length > MAX_SECRETS) {
    throw new ReceiverConfigurationError(
      'secrets_too_many',
      `${secrets.length} secrets were given; at most ${MAX_SECRETS} are tried. Remove those that no longer sign.`,
    )
  }
}

/** The keys that a secret stands for, each with the number of its signature. */
function readSecret(
  rules: readonly (SecretRule | null)[],
  secret: unknown,
  which: string,
): [signature: number, key: Uint8Array][] {
  try {
    checkSecretText(secret)
    const publicKey = publicKeyOf(secret, rules.includes(null))
    if (publicKey === null && rules.every((rule) => rule === null)) {
      throw new SecretError(
        'secret_not_used',
        `Requests are signed with key pairs alone. Pass the public key, which begins with "${PUBLIC_KEY_PREFIX}".`,
      )
    }
    const isMeant = (rule: SecretRule | null) => (rule === null) === (publicKey !== null)
    return rules.flatMap((rule, i) => (isMeant(rule) ? [[i, publicKey ?? keyOf(rule!, secret)]] : []))
  } catch (cause) {
    if (!(cause instanceof SecretError)) throw cause
    throw new ReceiverConfigurationError(cause.code, which + cause.message, { cause })
  }
}

/** @returns `null`: it is a secret of HMAC */
function publicKeyOf(secret: string, hasKeyPair: boolean): Uint8Array | null {
  if (!hasKeyPair) {
    // As an HMAC key it would let everybody who reads the public key forge requests.
    if (!PUBLIC_KEY_TEXT.test(secret)) return null
    throw new SecretError(
      'secret_not_used',
      'The secret is a public key, but requests are not signed with Ed25519. Pass the signing secret.',
    )
  }
  if (secret.startsWith(PRIVATE_KEY_PREFIX)) {
    throw new SecretError(
      'secret_is_private_key',
      `The secret is a private key, which only the sender may have. Pass the public key, which begins with "${PUBLIC_KEY_PREFIX}".`,
    )
  }
  if (!secret.startsWith(PUBLIC_KEY_PREFIX)) return null
  const key = decodeBase64(secret.slice(PUBLIC_KEY_PREFIX.length))
  if (key?.length === PUBLIC_KEY_BYTES) return key
  throw new SecretError(
    'public_key_malformed',
    `What follows "${PUBLIC_KEY_PREFIX}" in the public key is not ${PUBLIC_KEY_BYTES} bytes in standard base64 with its padding.`,
  )
}
