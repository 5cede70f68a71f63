import { isOrdinary, type KnownSecret } from './knownSecrets.ts'
import { CREDENTIALS } from './redact.ts'

/** A secret in a file of the bundle. */
export interface Leak {
  readonly member: string
  /** What it is; never the secret itself. */
  readonly secret: string
}

/** Looks for secrets in files, and in their names, in all forms in which a secret is usually written. */
export function findLeaks(
  files: ReadonlyMap<string, string>,
  secrets: readonly KnownSecret[],
): readonly Leak[] {
  const known = secrets.map((secret) => ({ from: secret.from, forms: formsOf(secret) }))
  return [...files].flatMap(([member, contents]) => {
    const text = `${member}\n${contents}`
    const joined = text.replaceAll(/\s*\n\s*/g, '')
    const found = new Set([
      ...known
        .filter(({ forms }) => forms.some((form) => text.includes(form) || joined.includes(form)))
        .map(({ from }) => `a secret of ${from}`),
      ...CREDENTIALS.filter(({ pattern }) => text.search(pattern) >= 0).map(({ name }) => name),
    ])
    return [...found].map((secret) => ({ member, secret }))
  })
}

function formsOf(secret: KnownSecret): readonly string[] {
  const { value } = secret
  if (isOrdinary(secret)) return [`:${value}@`, `:${encodeURIComponent(value)}@`]
  const bytes = Buffer.from(value)
  // Some programs leave out the prefix or the padding.
  const bare = value.replace(/^(?:ph[a-z]|whsec|whsk)_/, '').replace(/=+$/, '')
  return [
    bare,
    encodeURIComponent(bare),
    JSON.stringify(bare).slice(1, -1),
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ]
}
