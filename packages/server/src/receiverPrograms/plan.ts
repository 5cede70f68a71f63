import { valueWithoutEnd } from '../profiles/headerValues.ts'
import type { Profile, SignatureScheme } from '../profiles/profile.ts'
import { CONTENT_FIELDS, HEADER_FIELDS } from '../profiles/requests.ts'
import { namesIn, type Parts, partsOf } from '../profiles/templates.ts'

/** What a header can hold, and what can be signed before the body. */
export type Field = (typeof HEADER_FIELDS)[number]

/** Text as it is, and values of headers between it. */
export type Mixed = readonly (string | { readonly field: Field })[]

/** What a receiver takes from one header. */
export interface Reading {
  readonly header: string
  /** Those that are needed, in the order of the header. */
  readonly fields: readonly Field[]
  /** `null`: the header holds one field and nothing else. */
  readonly template: Mixed | null
}

/** Where a receiver finds something of an event. */
export type Found =
  | { readonly in: 'header'; readonly name: string }
  /** No steps: the whole body. */
  | { readonly in: 'body'; readonly path: readonly string[] }

/** What a program that verifies requests by a shared secret must know. */
export interface Plan {
  readonly secretPrefix: string
  /** How a secret becomes the key. */
  readonly key: 'utf8' | 'hex' | 'base64'
  readonly hash: 'sha256' | 'sha512'
  readonly encoding: 'hex' | 'base64'
  readonly readings: readonly Reading[]
  /** Signed ahead of the body. */
  readonly signed: Mixed
  /** What tells when a request was signed; `null`: no time is signed. */
  readonly time: 'timestamp' | 'timestamp:iso' | null
  /** Around a signature. */
  readonly before: string
  readonly after: string
  /** Between two signatures; `null`: there is one only. */
  readonly join: string | null
  /** The id of an event, its type and its data, as far as they are there. */
  readonly logged: readonly Found[]
}

/** Why these programs cannot verify the requests of a service. */
export interface NoPlan {
  readonly why: string
  /** Whether `@posthorn/receiver` can. */
  readonly libraryCan: boolean
}

const HASHES = { 'hmac-sha256': 'sha256', 'hmac-sha512': 'sha512' } as const
const KEYS = { 'base64-after-prefix': 'base64', hex: 'hex', utf8: 'utf8' } as const

export const isPlan = (made: Plan | NoPlan): made is Plan => !('why' in made)

/** By the first signature that is made with a shared secret. */
export function planOf(profile: Profile): Plan | NoPlan {
  const { signatures, secret } = profile
  if (signatures.length === 0) {
    return {
      why: 'This service does not sign its requests, so receivers cannot detect forged ones.',
      libraryCan: false,
    }
  }
  const scheme = signatures.find(({ algorithm }) => algorithm !== 'ed25519') ?? signatures[0]!
  const content = partsOf(scheme.content, [...CONTENT_FIELDS, 'body']).slice(0, -1)
  const readings = readingsOf(profile, namesIn(content) as Field[])
  if (!Array.isArray(readings)) return readings
  if (scheme.algorithm === 'ed25519') {
    return {
      libraryCan: true,
      why: 'This service signs with Ed25519 only. These programs verify HMAC signatures; use @posthorn/receiver, or an Ed25519 library with the public key of the webhook.',
    }
  }
  const [before = '', after = ''] = scheme.each.split('{signature}').map((text) => text.replaceAll('{{', '{'))
  return {
    secretPrefix: secret.prefix,
    key: KEYS[scheme.secret!],
    hash: HASHES[scheme.algorithm],
    encoding: scheme.encoding,
    readings,
    signed: mixed(content),
    time: timeIn(content),
    before,
    after,
    join: joinOf(signatures, scheme),
    logged: loggedOf(profile),
  }
}

const timeIn = (content: Parts): Plan['time'] => {
  const names = namesIn(content)
  if (names.includes('timestamp')) return 'timestamp'
  return names.includes('timestamp:iso') ? 'timestamp:iso' : null
}

/** With several kinds of signature, the first one's stands between all. */
const joinOf = (signatures: Profile['signatures'], scheme: SignatureScheme): string | null =>
  (signatures.length > 1 ? signatures[0]?.join : scheme.join) ?? null

const mixed = (parts: Parts): Mixed =>
  parts.map((part) => (typeof part === 'string' ? part : { field: part.name as Field }))

/** The headers that show what was signed and the signatures. */
function readingsOf({ headers, signatures }: Profile, signed: readonly Field[]): Reading[] | NoPlan {
  const templates = Object.entries(headers).map(
    ([header, template]) => [header, partsOf(template, HEADER_FIELDS)] as const,
  )
  const wanted = new Map<string, { readonly parts: Parts; readonly fields: Set<Field> }>()
  for (const field of new Set<Field>([...signed, 'signatures'])) {
    const found = templates.find(([, parts]) => namesIn(parts).includes(field))
    if (found === undefined) {
      return {
        why: `Requests cannot be verified: {${field}} is signed, but no header shows it.`,
        libraryCan: false,
      }
    }
    const [header, parts] = found
    const entry = wanted.get(header) ?? { parts, fields: new Set<Field>() }
    entry.fields.add(field)
    wanted.set(header, entry)
  }
  const unclear = [...wanted].find(([, { parts }]) => valueWithoutEnd(parts, signatures) !== null)
  if (unclear !== undefined) {
    return {
      libraryCan: false,
      why: `Requests cannot be verified for sure: it is unclear where the values in the header ${unclear[0]} begin and end.`,
    }
  }
  return [...wanted].map(([header, { parts, fields }]) => ({
    header,
    fields: [...new Set(namesIn(parts) as Field[])].filter((field) => fields.has(field)),
    template: parts.length === 1 ? null : mixed(parts),
  }))
}

function loggedOf({ headers, envelope }: Profile): readonly Found[] {
  const inHeader = (field: Field): Found[] => {
    const name = Object.keys(headers).find((one) => headers[one] === `{${field}}`)
    return name === undefined ? [] : [{ in: 'header', name }]
  }
  const pathOf = (field: string) =>
    envelope === 'bare' ? undefined : envelope.find((member) => member.field === field)?.path
  const found = (field: 'id' | 'type'): Found[] => {
    const path = pathOf(field)
    return path === undefined ? inHeader(field) : [{ in: 'body', path: path.split('.') }]
  }
  return [...found('id'), ...found('type'), { in: 'body', path: pathOf('data')?.split('.') ?? [] }]
}
