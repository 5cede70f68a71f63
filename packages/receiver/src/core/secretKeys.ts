import { ensureSetup, ReceiverConfigurationError } from './errors.ts'
import type { SecretMistake } from './secrets.ts'

// Each secret costs one more hash of the whole body. A rotation needs two.
const MAX_SECRETS = 8

// 128 bits: below that a key can be searched for, whatever the sender's rules were.
const LOWEST_MIN_KEY_BYTES = 16

/**
 * Reads each secret that was given.
 *
 * @param read returns the key, or why there is none
 * @throws {ReceiverConfigurationError} `secrets_missing`, `secrets_too_many` or a `SecretErrorCode`.
 */
export function readSecrets<Key extends object>(
  secrets: unknown,
  read: (secret: unknown) => Key | SecretMistake,
): Key[] {
  const list: readonly unknown[] = Array.isArray(secrets) ? secrets : [secrets]
  const { length } = list
  ensureSetup(list[0] != null, 'secrets_missing', 'Pass the signing secret of the webhook.')
  ensureSetup(length <= MAX_SECRETS, 'secrets_too_many', `Pass at most ${MAX_SECRETS} secrets.`)
  return list.map((secret, i) => {
    const key = read(secret)
    if (!Array.isArray(key)) return key as Key
    const [code, message] = key as unknown as SecretMistake
    throw new ReceiverConfigurationError(code, `Secret ${i + 1} of ${length}: ${message}`)
  })
}

/** @throws {ReceiverConfigurationError} `min_key_bytes_invalid`. */
export function checkMinKeyBytes(minKeyBytes: number, maxKeyBytes: number): void {
  ensureSetup(
    Number.isInteger(minKeyBytes) && minKeyBytes >= LOWEST_MIN_KEY_BYTES && minKeyBytes <= maxKeyBytes,
    'min_key_bytes_invalid',
    `minKeyBytes must be a whole number from ${LOWEST_MIN_KEY_BYTES} to ${maxKeyBytes}.`,
  )
}
