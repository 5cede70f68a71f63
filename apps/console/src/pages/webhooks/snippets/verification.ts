import type { SignatureScheme, Signing } from '../../../model/signing.ts'
import { namesIn } from './templates.ts'

/** Where a receiver finds something of an event. */
export type Found =
  | { readonly in: 'header'; readonly name: string }
  /** No steps: the whole body. */
  | { readonly in: 'body'; readonly path: readonly string[] }

/** What code that verifies requests must know. */
export interface Verification extends Pick<Signing, 'headers' | 'secretPrefix'> {
  /** Standard Webhooks, a hex HMAC over the body alone, or something else. */
  readonly kind: 'standard' | 'hex' | 'other'
  readonly scheme: SignatureScheme
  /** Between two signatures in the header; `null`: there is one only. */
  readonly join: string | null
  /** The header that holds the signatures. */
  readonly signatureHeader: string
  /** What a receiver logs: the id, the type and the data, as far as they are there. */
  readonly logged: readonly Found[]
  /** The scheme of `@posthorn/receiver` whose bodies and headers these are. */
  readonly library: 'standard' | 'service' | null
}

const STANDARD_HEADERS = {
  'webhook-id': '{id}',
  'webhook-timestamp': '{timestamp}',
  'webhook-signature': '{signatures}',
}
const SERVICE_HEADERS = {
  'X-Service-Event': '{type}',
  'X-Service-Delivery': '{delivery_id}',
  'X-Service-Signature': '{signatures}',
}
/** What the library finds in bodies of its schemes. */
const STANDARD_MEMBERS = ['type', 'timestamp', 'data']
const SERVICE_MEMBERS = ['id', 'type', 'entityType', 'entityId', 'workspaceId', 'payload', 'occurredAt']

/** As crypto libraries name them. */
export const HASHES = { 'hmac-sha256': 'sha256', 'hmac-sha512': 'sha512', ed25519: 'none' } as const

/** @returns `null` where no signature can be verified with the secret */
export function verificationOf(signing: Signing): Verification | null {
  const { headers, signatures, secretPrefix, body } = signing
  const scheme = signatures.find(({ secret }) => secret !== null)
  const signatureHeader = headerWith('signatures', headers)
  if (scheme === undefined || signatureHeader === null) return null
  const kind = kindOf(signing, scheme, headers[signatureHeader]!)
  const has = (members: readonly string[]) => members.every((member) => body.members.includes(member))
  return {
    ...{ headers, secretPrefix, kind, scheme, signatureHeader },
    join: signatures[0]!.join,
    logged: loggedOf(signing),
    library:
      kind === 'standard' && has(STANDARD_MEMBERS)
        ? 'standard'
        : kind === 'hex' && hasHeaders(headers, SERVICE_HEADERS) && has(SERVICE_MEMBERS)
          ? 'service'
          : null,
  }
}

/** The header that shows something, alone or among other text. */
export const headerWith = (field: string, headers: Signing['headers']): string | null =>
  Object.keys(headers).find((name) => namesIn(headers[name]!).includes(field)) ?? null

function kindOf(
  { headers, signatures, secretPrefix }: Signing,
  { content, algorithm, encoding, secret, each, join }: SignatureScheme,
  header: string,
): Verification['kind'] {
  const written = [content, algorithm, encoding, secret, each, join, header].join('\n')
  const isOnly = signatures.length === 1
  if (isOnly && written === HEX) return 'hex'
  const isStandard =
    written === STANDARD && secretPrefix === 'whsec_' && hasHeaders(headers, STANDARD_HEADERS)
  return isOnly && isStandard ? 'standard' : 'other'
}

const STANDARD = [
  '{id}.{timestamp}.{body}',
  'hmac-sha256',
  'base64',
  'base64-after-prefix',
  'v1,{signature}',
  ' ',
  '{signatures}',
].join('\n')
const HEX = ['{body}', 'hmac-sha256', 'hex', 'utf8', 'sha256={signature}', null, '{signatures}'].join('\n')

function hasHeaders(headers: Signing['headers'], wanted: Signing['headers']): boolean {
  const lower = new Map(Object.entries(headers).map(([name, template]) => [name.toLowerCase(), template]))
  return Object.entries(wanted).every(([name, template]) => lower.get(name.toLowerCase()) === template)
}

function loggedOf({ headers, body }: Signing): readonly Found[] {
  const inHeader = (field: string): Found[] => {
    const name = Object.keys(headers).find((one) => headers[one] === `{${field}}`)
    return name === undefined ? [] : [{ in: 'header', name }]
  }
  const inBody = (path: string): Found => ({ in: 'body', path: path.split('.') })
  return [
    ...(body.id === null ? inHeader('id') : [inBody(body.id)]),
    ...(body.type === null ? inHeader('type') : [inBody(body.type)]),
    body.data === null ? { in: 'body', path: [] } : inBody(body.data),
  ]
}
