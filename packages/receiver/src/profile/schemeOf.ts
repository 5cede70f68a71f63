import { ALGORITHMS, FIELDS, type Field, type RequestParts, SECRET_FORMS } from './parts.ts'
import { aroundSignature, isMistake, namesIn, readTemplate } from './template.ts'

/** Characters of a signature header that are read at most, unless a profile's own signatures need more. */
export const MAX_SIGNATURES_LENGTH = 4096

/** The facts of a profile with one HMAC signature, as senders of one fixed scheme want them. */
export function schemeOf<const Name extends string, Role extends string>(
  name: Name,
  roles: Readonly<Record<Role, Field | 'signatures'>>,
  { headers, signatures, secret }: RequestParts,
) {
  const { content, algorithm, encoding, secret: form, each, join, most = 1 } = signatures[0]!
  const parts = readTemplate(content, [...FIELDS, 'body'])
  const around = aroundSignature(each)
  const { hash, bytes } = ALGORITHMS[algorithm]
  if (isMistake(parts) || around === null || hash !== 'SHA-256' || form === undefined || form === 'hex')
    throw new TypeError(`${name} is no scheme of HMAC-SHA256.`)
  const nameOf = (field: string) =>
    Object.keys(headers).find((header) => headers[header] === `{${field}}`) ?? ''
  return {
    name,
    hash,
    macBytes: bytes,
    headers: Object.fromEntries(
      Object.entries<string>(roles).map(([role, field]) => [role, nameOf(field)]),
    ) as Readonly<Record<Role, string>>,
    signature: {
      prefix: around.before,
      encoding,
      separator: join ?? null,
      maxEntries: join === undefined ? 1 : most,
      maxLength: MAX_SIGNATURES_LENGTH,
    },
    signedFields: namesIn(parts).filter((field) => field === 'id' || field === 'timestamp'),
    secret: {
      prefix: secret.prefix,
      encoding: form === 'utf8' ? ('utf8' as const) : ('base64' as const),
      ...SECRET_FORMS[form],
      randomBytes: 32,
    },
  }
}
