import type { JsonSchema } from '../../../core/catalog.ts'
import { FORMS } from '../../../core/textForms.ts'
import type { IdKind } from '../../../profiles/formatParts.ts'
import type { Profile, SignatureScheme } from '../../../profiles/profile.ts'
import type { HEADER_FIELDS } from '../../../profiles/requests.ts'
import { idSchema, sentTime } from './schemas.ts'

export type HeaderField = (typeof HEADER_FIELDS)[number]

/** What documents say of a placeholder in headers. */
export interface Placeholder {
  /** In words that complete "It is …". */
  readonly words: string
  /** What receivers do with it; empty: nothing in particular. */
  readonly advice: string
  /** Of a header that holds nothing else. */
  readonly schema: JsonSchema
  /** The same within a longer text, as a pattern without anchors. */
  readonly pattern: string
}

/** What every placeholder stands for in requests of a service. */
export function placeholdersOf(profile: Profile): Readonly<Record<HeaderField, Placeholder>> {
  const signed = signsTime(profile)
  const made = `when this attempt was ${signed ? 'signed' : 'made'}`
  const refuse = signed
    ? '; reject requests in which it differs from the current time by more than 5 minutes'
    : ''
  const signatures = signaturesPattern(profile.signatures)
  return {
    id: {
      words: `the id of the event: the same on every retry${andResend(profile)}`,
      advice: ', so skip ids that you have already processed',
      ...idOf(profile, 'event'),
    },
    timestamp: {
      words: `${made}, in Unix seconds`,
      advice: refuse,
      schema: { type: 'integer', minimum: 0 },
      pattern: '[0-9]+',
    },
    'timestamp:iso': {
      words: `${made}, in ISO 8601, UTC, with milliseconds`,
      advice: refuse,
      schema: withoutDescription(sentTime('')),
      pattern: inner(FORMS.sentTime.pattern),
    },
    type: {
      words: 'the type of the event',
      advice: '',
      schema: { type: 'string' },
      pattern: inner(FORMS.eventTypeName.pattern),
    },
    delivery_id: {
      words: 'the id of the delivery: the same in every attempt',
      advice: '',
      ...idOf(profile, 'delivery'),
    },
    attempt: {
      words: 'the number of the attempt, from 1',
      advice: '',
      schema: { type: 'integer', minimum: 1 },
      pattern: '[1-9][0-9]*',
    },
    'workspace.slug': {
      words: 'the slug of the workspace',
      advice: '',
      schema: { type: 'string', pattern: FORMS.slug.pattern },
      pattern: inner(FORMS.slug.pattern),
    },
    webhook_id: { words: 'the id of the webhook', advice: '', ...idOf(profile, 'webhook') },
    signatures: {
      words: signaturesWords(profile.signatures),
      advice: '',
      schema: { type: 'string', pattern: `^${signatures}$` },
      pattern: signatures,
    },
  }
}

/** Whether the time of a request is signed. */
const signsTime = ({ signatures }: Pick<Profile, 'signatures'>): boolean =>
  signatures.some(({ content }) => /\{timestamp(:iso)?\}/.test(content))

/** What sending a delivery again is called, after "every retry" and the like; empty if the service has no such operation. */
export function andResend({ operations, words }: Profile): string {
  if (operations.redeliver === null && operations.replay === null) return ''
  return words.resend === 'replay' ? ' and replay' : ' and redelivery'
}

const withoutDescription = ({ description: _, ...rest }: JsonSchema): JsonSchema => rest

/** Without its anchors. */
const inner = (pattern: string) => pattern.slice(1, -1)

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

function idOf(profile: Profile, kind: IdKind): Pick<Placeholder, 'schema' | 'pattern'> {
  const schema = idSchema(profile, kind)
  return { schema, pattern: typeof schema.pattern === 'string' ? inner(schema.pattern) : UUID }
}

/** Whether a request may carry several signatures of a scheme. */
export const isRepeated = ({ join, most = 1 }: SignatureScheme): boolean => join !== undefined && most > 1

/** What stands before and after the value of a signature. */
export const around = ({ each }: SignatureScheme): readonly [before: string, after: string] => {
  const [before = '', after = ''] = each.split('{signature}').map((text) => text.replaceAll('{{', '{'))
  return [before, after]
}

function signaturesWords(schemes: readonly SignatureScheme[]): string {
  const [first, second] = schemes
  if (second !== undefined) return 'signatures of two kinds; one that matches is enough'
  if (first === undefined || !isRepeated(first))
    return `the signature of the ${first?.content === '{body}' ? 'body' : 'request'}`
  return `one signature, or several separated by ${inWords(first.join!)} while replaced secrets still sign`
}

const SIGNS: Readonly<Record<string, string>> = {
  '': 'nothing',
  ' ': 'a space',
  '.': 'a dot',
  ',': 'a comma',
  ':': 'a colon',
  ';': 'a semicolon',
  '|': 'a vertical bar',
}

/** As Markdown shows text as it is. */
const code = (text: string) => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``)

/** A piece of text in a template. */
export const inWords = (text: string): string => SIGNS[text] ?? code(text)

/** Bytes of a signature. */
const LENGTHS = { 'hmac-sha256': 32, 'hmac-sha512': 64, ed25519: 64 } as const

function signaturesPattern(schemes: readonly SignatureScheme[]): string {
  const patterns = schemes.map((scheme) => {
    const [before, after] = around(scheme)
    const one = escaped(before) + valuePattern(scheme) + escaped(after)
    return isRepeated(scheme) ? `${one}(${escaped(scheme.join!)}${one})*` : one
  })
  return patterns.join(escaped(schemes[0]?.join ?? ''))
}

function valuePattern({ algorithm, encoding }: SignatureScheme): string {
  const bytes = LENGTHS[algorithm]
  if (encoding === 'hex') return `[0-9a-f]{${bytes * 2}}`
  const padding = (3 - (bytes % 3)) % 3
  return `[A-Za-z0-9+/]{${Math.ceil((bytes * 4) / 3)}}${'='.repeat(padding)}`
}

/** A pattern that matches only this text. */
export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
