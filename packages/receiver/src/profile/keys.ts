import { decodeBase64 } from '../core/encoding.ts'
import { ensureSetup } from '../core/errors.ts'
import type { SchemeOptions } from '../core/scheme.ts'
import { checkMinKeyBytes, readSecrets } from '../core/secretKeys.ts'
import { keyOf, type SecretMistake, type SecretRule, textMistake } from '../core/secrets.ts'
import { PRIVATE_KEY_PREFIX, PUBLIC_KEY_PREFIX, type RequestParts, SECRET_FORMS } from './parts.ts'

const PUBLIC_KEY_TEXT = /^whpk_[A-Za-z0-9+/]{43}=$/
const PUBLIC_KEY_BYTES = 32

/** What a secret must be for a signature; `null`: the signature is verified with a public key. */
type Rule = SecretRule | null

/** The keys of one secret, by the number of their signature. */
type Keys = ReadonlyMap<number, Uint8Array>

/**
 * The keys of the secrets, for each signature of a profile.
 *
 * @throws {ReceiverConfigurationError} `secrets_missing`, `secrets_too_many`, `min_key_bytes_invalid` or a
 *   `SecretErrorCode`.
 */
export function readKeys(parts: RequestParts, options: SchemeOptions): Uint8Array[][] {
  const rules = secretRules(parts, options.minKeyBytes)
  const keys: Uint8Array[][] = rules.map(() => [])
  for (const found of readSecrets<Keys>(options.secrets, (secret) => readSecret(rules, secret)))
    for (const [signature, key] of found) keys[signature]!.push(key)
  return keys
}

function secretRules(
  { signatures, secret: { prefix } }: RequestParts,
  minKeyBytes: number | undefined,
): Rule[] {
  const rules = signatures.map(({ secret }) => (secret ? { prefix, ...SECRET_FORMS[secret] } : null))
  if (minKeyBytes === undefined || minKeyBytes === null) return rules
  const limits = rules.flatMap((rule) => (rule === null ? [] : [rule.maxKeyBytes]))
  ensureSetup(
    limits.length > 0,
    'option_unsupported',
    'minKeyBytes is for HMAC secrets, and these requests are signed only with key pairs. Remove it.',
  )
  checkMinKeyBytes(minKeyBytes, Math.min(...limits))
  return rules.map((rule) => rule && { ...rule, minKeyBytes })
}

function readSecret(rules: readonly Rule[], secret: unknown): Keys | SecretMistake {
  const mistake = textMistake('', secret) ?? kindMistake(rules, secret as string)
  if (mistake) return mistake
  const isPublic = rules.includes(null) && (secret as string).startsWith(PUBLIC_KEY_PREFIX)
  const keys = new Map<number, Uint8Array>()
  for (const [signature, rule] of rules.entries()) {
    if ((rule === null) !== isPublic) continue
    const key = rule === null ? publicKeyOf(secret as string) : keyOf(rule, secret)
    if (!(key instanceof Uint8Array)) return key
    keys.set(signature, key)
  }
  return keys
}

/** A secret of a kind that these signatures do not use. */
function kindMistake(rules: readonly Rule[], secret: string): SecretMistake | null {
  if (!rules.includes(null)) {
    // As an HMAC key it would let everyone who reads the public key forge requests.
    return PUBLIC_KEY_TEXT.test(secret)
      ? [
          'secret_not_used',
          'It is a public key, but requests are not signed with Ed25519. Pass the signing secret.',
        ]
      : null
  }
  if (secret.startsWith(PRIVATE_KEY_PREFIX)) {
    return [
      'secret_is_private_key',
      `It is a private key, which only the sender should have. Pass the public key, which begins with "${PUBLIC_KEY_PREFIX}".`,
    ]
  }
  if (secret.startsWith(PUBLIC_KEY_PREFIX) || rules.some((rule) => rule !== null)) return null
  return [
    'secret_not_used',
    `Requests are signed only with key pairs. Pass the public key, which begins with "${PUBLIC_KEY_PREFIX}".`,
  ]
}

function publicKeyOf(secret: string): Uint8Array | SecretMistake {
  const key = decodeBase64(secret.slice(PUBLIC_KEY_PREFIX.length))
  if (key?.length === PUBLIC_KEY_BYTES) return key
  return [
    'public_key_malformed',
    `The text after "${PUBLIC_KEY_PREFIX}" is not ${PUBLIC_KEY_BYTES} bytes in base64 with padding. Copy it whole.`,
  ]
}
