import type { Profile, SignatureScheme } from './profile.ts'

/** The secret in the form that a customer sees once. */
export function formatSecret({ prefix, encoding }: Profile['secret'], random: Uint8Array): string {
  return prefix + Buffer.from(random).toString(encoding)
}

/**
 * The bytes of the key that a secret stands for.
 * @throws Error, without the secret in it, for a text that is no secret of the profile
 */
export function keyBytesOf(
  { secret: { prefix } }: Pick<Profile, 'secret'>,
  form: NonNullable<SignatureScheme['secret']>,
  secret: string,
): Uint8Array {
  if (!secret.startsWith(prefix)) throw new Error(`the secret does not begin with ${prefix}`)
  switch (form) {
    case 'utf8':
      return Buffer.from(secret, 'utf8')
    case 'hex':
      return decoded(secret.slice(prefix.length), 'hex')
    case 'base64-after-prefix':
      return decoded(secret.slice(prefix.length), 'base64')
  }
}

/** Node skips what it cannot decode; a key must not lose a part that way. */
function decoded(text: string, encoding: 'hex' | 'base64'): Uint8Array {
  const bytes = Buffer.from(text, encoding)
  const again = bytes.toString(encoding)
  if (again !== text && again.replace(/=+$/, '') !== text) throw new Error(`the secret is not ${encoding}`)
  return bytes
}
