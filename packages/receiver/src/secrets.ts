import { decodeBase64, decodeHex, encodeUtf8 } from './encoding.ts'
import type { SecretForm } from './profile/parts.ts'

export type SecretErrorCode =
  | 'secret_not_string'
  | 'secret_empty'
  | 'secret_has_whitespace'
  | 'secret_has_version_prefix'
  | 'secret_prefix_missing'
  | 'secret_not_base64'
  | 'secret_not_hex'
  | 'secret_not_unicode'
  | 'secret_too_short'
  | 'secret_too_long'
  | 'secret_is_private_key'
  | 'secret_not_used'
  | 'public_key_malformed'

/** A secret that cannot be one. Its message never repeats the secret. */
export class SecretError extends Error {
  readonly code: SecretErrorCode

  constructor(code: SecretErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** What a secret must be. Lengths are those of the key, in bytes. */
export interface SecretRule {
  readonly prefix: string
  readonly form: SecretForm
  readonly minKeyBytes: number
  readonly maxKeyBytes: number
}

/** @throws {SecretError} */
export function keyOf(rule: SecretRule, secret: unknown): Uint8Array {
  const { minKeyBytes, maxKeyBytes } = rule
  checkSecretText(secret)
  checkPrefix(rule.prefix, secret)
  const key = DECODERS[rule.form](rule.prefix, secret)
  if (key.length < minKeyBytes) {
    throw new SecretError(
      'secret_too_short',
      `The secret gives a key of ${key.length} bytes; at least ${minKeyBytes} are needed. Copy the whole secret.`,
    )
  }
  if (key.length > maxKeyBytes) {
    throw new SecretError(
      'secret_too_long',
      `The secret gives a key of ${key.length} bytes; at most ${maxKeyBytes} are allowed. Copy the secret alone.`,
    )
  }
  return key
}

/** @throws {SecretError} */
export function checkSecretText(secret: unknown): asserts secret is string {
  if (typeof secret !== 'string') {
    throw new SecretError('secret_not_string', `The secret must be a string, not ${typeof secret}.`)
  }
  if (secret === '') {
    throw new SecretError('secret_empty', 'The secret is empty. Is its environment variable set?')
  }
  if (secret.trim() !== secret) {
    throw new SecretError('secret_has_whitespace', 'The secret has white space around it. Remove it.')
  }
}

function checkPrefix(prefix: string, secret: string): void {
  if (secret.startsWith(prefix)) return
  if (/^v\d+\w?,/.test(secret)) {
    throw new SecretError(
      'secret_has_version_prefix',
      `The secret begins with a signature version such as "v1,", which belongs to signatures. Remove it, so that the secret begins with "${prefix}".`,
    )
  }
  throw new SecretError('secret_prefix_missing', `The secret must begin with "${prefix}".`)
}

const DECODERS: Readonly<Record<SecretForm, (prefix: string, secret: string) => Uint8Array>> = {
  'base64-after-prefix': (prefix, secret) =>
    decodeBase64(secret.slice(prefix.length)) ??
    refuse(
      'secret_not_base64',
      `What follows "${prefix}" in the secret is not standard base64 with its padding.`,
    ),
  hex: (prefix, secret) =>
    decodeHex(secret.slice(prefix.length)) ??
    refuse('secret_not_hex', `What follows "${prefix}" in the secret is not lower-case hex.`),
  utf8: (_prefix, secret) =>
    encodeUtf8(secret) ??
    refuse('secret_not_unicode', 'The secret holds half of a surrogate pair, so it has no bytes.'),
}

function refuse(code: SecretErrorCode, message: string): never {
  throw new SecretError(code, message)
}
