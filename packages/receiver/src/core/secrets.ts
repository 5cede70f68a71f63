import { decodeBase64, encodeUtf8 } from './encoding.ts'

export type SecretErrorCode =
  | 'secret_not_string'
  | 'secret_empty'
  | 'secret_has_whitespace'
  | 'secret_has_version_prefix'
  | 'secret_prefix_missing'
  | 'secret_not_service'
  | 'secret_not_base64'
  | 'secret_not_hex'
  | 'secret_not_unicode'
  | 'secret_too_short'
  | 'secret_too_long'
  | 'secret_is_private_key'
  | 'secret_not_used'
  | 'public_key_malformed'

/** Why a secret cannot be one. The message never repeats the secret. */
export type SecretMistake = readonly [code: SecretErrorCode, message: string]

export interface SecretForm {
  /**
   * @param text the secret without its prefix
   * @param secret the whole
   * @returns the key; `null`: the secret does not have the form
   */
  decode(text: string, secret: string): Uint8Array | null
  readonly mistake: SecretMistake
}

export const BASE64: SecretForm = {
  decode: decodeBase64,
  mistake: ['secret_not_base64', 'Not base64 with padding. Copy it whole.'],
}

export const UTF8: SecretForm = {
  decode: (_text, secret) => encodeUtf8(secret),
  mistake: ['secret_not_unicode', 'Not valid Unicode. Copy it whole.'],
}

/** What a secret must be. Lengths are those of the key, in bytes. */
export interface SecretRule {
  readonly prefix: string
  /** What it must not begin with, since a secret of the scheme `standard` does. */
  readonly not?: string
  readonly form: SecretForm
  readonly minKeyBytes: number
  readonly maxKeyBytes: number
}

/** @returns the bytes of the key, or why there are none */
export function keyOf(
  { prefix, not, form, minKeyBytes, maxKeyBytes }: SecretRule,
  secret: unknown,
): Uint8Array | SecretMistake {
  const mistake = textMistake(prefix, secret)
  if (mistake) return mistake
  if (not && (secret as string).startsWith(not))
    return ['secret_not_service', `It begins with "${not}": use scheme "standard".`]
  const key = form.decode((secret as string).slice(prefix.length), secret as string)
  if (!key) return form.mistake
  const { length } = key
  const isShort = length < minKeyBytes
  if (!isShort && length <= maxKeyBytes) return key
  return [
    `secret_too_${isShort ? 'short' : 'long'}`,
    `${length} bytes, not ${minKeyBytes} to ${maxKeyBytes}. Copy it whole.`,
  ]
}

export function textMistake(prefix: string, secret: unknown): SecretMistake | null {
  if (typeof secret !== 'string') return ['secret_not_string', 'Not a string.']
  if (!secret) return ['secret_empty', 'Empty. Check that the environment variable is set.']
  if (secret.trim() !== secret) return ['secret_has_whitespace', 'Remove the white space around it.']
  if (secret.startsWith(prefix)) return null
  return /^v\d+\w?,/.test(secret)
    ? ['secret_has_version_prefix', `Remove "v1,": it begins with "${prefix}".`]
    : ['secret_prefix_missing', `It must begin with "${prefix}".`]
}
