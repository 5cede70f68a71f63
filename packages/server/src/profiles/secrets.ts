import type { Profile, SignatureScheme } from './profile.ts'

/** The secret in the form that a customer sees once. */
export function formatSecret({ prefix, encoding }: Profile['secret'], random: Uint8Array): string {
  return prefix + Buffer.from(random).toString(encoding)
}

/**
 * The bytes of the HMAC key that a secret stands for.
 * @throws Error, without the secret in it, for a text that is no secret of the profile
 */
export function keyBytesOf(
  { secret: { prefix } }: Pick<Profile, 'secret'>,
  form: NonNullable<SignatureScheme['secret']>,
  secret: string,
): Uint8Array {
  const rest = afterPrefix(prefix, secret)
  switch (form) {
    case 'utf8':
      return Buffer.from(secret, 'utf8')
    case 'hex':
      return decoded(rest, 'hex')
    case 'base64-after-prefix':
      return decoded(rest, 'base64')
  }
}

/**
 * The random bytes that a secret was made of.
 * @throws Error, without the secret in it, for a text that is no secret of the profile
 */
export const randomBytesOf = (
  { secret: { prefix, encoding } }: Pick<Profile, 'secret'>,
  secret: string,
): Uint8Array => decoded(afterPrefix(prefix, secret), encoding)

function afterPrefix(prefix: string, secret: string): string {
  if (!secret.startsWith(prefix)) throw new Error(`the secret does not begin with ${prefix}`)
  return secret.slice(prefix.length)
}

/** Node skips what it cannot decode; a key must not lose a part that way. */
function decoded(text: string, encoding: Profile['secret']['encoding']): Uint8Array {
  const bytes = Buffer.from(text, encoding)
  const again = bytes.toString(encoding)
  if (again !== text && again.replace(/=+$/, '') !== text) throw new Error(`the secret is not ${encoding}`)
  return bytes
}
