import type { Profile, SignatureScheme } from '../../../profiles/profile.ts'
import { CONTENT_FIELDS } from '../../../profiles/requests.ts'
import { partsOf } from '../../../profiles/templates.ts'

const VARIABLES: Readonly<Record<string, string>> = {
  'timestamp:iso': 'timestamp',
  delivery_id: 'deliveryId',
  'workspace.slug': 'workspace',
  webhook_id: 'webhookId',
}

/** What a receiver computes, in JavaScript for Node. */
export function signatureCode({ secret: { prefix } }: Profile, scheme: SignatureScheme): string {
  const parts = partsOf(scheme.content, [...CONTENT_FIELDS, 'body']).slice(0, -1)
  const before = parts
    .map((part) => (typeof part === 'string' ? escaped(part) : `\${${VARIABLES[part.name] ?? part.name}}`))
    .join('')
  if (scheme.algorithm === 'ed25519') {
    const signed = before === '' ? 'body' : `Buffer.concat([Buffer.from(\`${before}\`), body])`
    return `import { verify } from 'node:crypto'\n\nconst isGenuine = verify(null, ${signed}, publicKey, signature)`
  }
  const hash = scheme.algorithm === 'hmac-sha512' ? 'sha512' : 'sha256'
  const rest = prefix === '' ? 'secret' : `secret.slice('${prefix}'.length)`
  const key =
    scheme.secret === 'utf8' ? null : `Buffer.from(${rest}, '${scheme.secret === 'hex' ? 'hex' : 'base64'}')`
  const lines = [
    "import { createHmac } from 'node:crypto'",
    '',
    ...(key === null ? [] : [`const key = ${key}`]),
    `const mac = createHmac('${hash}', ${key === null ? 'secret' : 'key'})${before === '' ? '' : `.update(\`${before}\`)`}.update(body).digest()`,
  ]
  return lines.join('\n')
}

/** Within a template literal. */
const escaped = (text: string) => text.replace(/[\\`]|\$(?=\{)/g, '\\$&')
