import { SCHEMES, type SchemeName, type SignatureScheme } from '@posthorn/receiver/schemes'
import { canonicalJson } from '../core/canonicalJson.ts'
import type { Profile } from '../profiles/profile.ts'

/** The contents of the headers of the receiver's schemes, by their roles there. */
const TEMPLATES: Readonly<Record<string, string>> = {
  id: '{id}',
  timestamp: '{timestamp}',
  signature: '{signatures}',
  event: '{type}',
  delivery: '{delivery_id}',
}

/** The built-in scheme of the receiver library that matches the profile; `null`: none. */
export function builtInScheme(profile: Profile): SchemeName | null {
  const found = Object.values(SCHEMES).find(
    (scheme) =>
      hasSignaturesOf(profile, scheme) && canonicalJson(profile.headers) === canonicalJson(headersOf(scheme)),
  )
  return found?.name ?? null
}

/** Whether signatures are made as in a scheme, whatever the headers are called. */
export function hasSignaturesOf({ signatures, secret }: Profile, scheme: SignatureScheme): boolean {
  const [first, second] = signatures
  if (first === undefined || second !== undefined || secret.prefix !== scheme.secret.prefix) return false
  const { most = 1, ...rest } = first
  const { separator, encoding, prefix, maxEntries } = scheme.signature
  const expected = {
    content: `${scheme.signedFields.map((field) => `{${field}}.`).join('')}{body}`,
    algorithm: 'hmac-sha256',
    encoding,
    secret: scheme.secret.encoding === 'utf8' ? 'utf8' : 'base64-after-prefix',
    each: `${prefix}{signature}`,
    ...(separator === null ? {} : { join: separator }),
  }
  return most <= maxEntries && canonicalJson(rest) === canonicalJson(expected)
}

const headersOf = ({ headers }: SignatureScheme) =>
  Object.fromEntries(Object.entries(headers).map(([role, name]) => [name, TEMPLATES[role]]))
