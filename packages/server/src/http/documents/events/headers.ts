import type { JsonSchema } from '../../../core/catalog.ts'
import type { Profile } from '../../../profiles/profile.ts'
import { HEADER_FIELDS } from '../../../profiles/requests.ts'
import { namesIn, type Parts, partsOf } from '../../../profiles/templates.ts'
import { escaped, type HeaderField, type Placeholder, placeholdersOf } from './placeholders.ts'
import { constant } from './schemas.ts'

/** A header of a request to a receiver. */
export interface SentHeader {
  /** As it is sent. */
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
}

/** The headers of requests of a service, without those of the transport. */
export function sentHeaders(profile: Profile): readonly SentHeader[] {
  const placeholders = placeholdersOf(profile)
  return Object.entries(profile.headers).map(([name, template]) => ({
    name,
    ...described(template, partsOf(template, HEADER_FIELDS), placeholders),
  }))
}

/** The placeholder that is all of a header; `null`: there is more in it, or none. */
export function onlyField(template: string): HeaderField | null {
  const [first, second] = partsOf(template, HEADER_FIELDS)
  return second === undefined && typeof first === 'object' ? (first.name as HeaderField) : null
}

function described(
  template: string,
  parts: Parts,
  placeholders: Readonly<Record<HeaderField, Placeholder>>,
): Omit<SentHeader, 'name'> {
  const names = [...new Set(namesIn(parts) as HeaderField[])]
  const only = onlyField(template)
  if (only !== null) {
    const { words, advice, schema } = placeholders[only]
    return { description: sentence(words + advice), schema }
  }
  const text = (part: Parts[number], of: (field: HeaderField) => string) =>
    typeof part === 'string' ? part : of(part.name as HeaderField)
  if (names.length === 0) {
    const value = parts.map((part) => text(part, () => '')).join('')
    return { description: `Always \`${value}\`.`, schema: constant(value) }
  }
  const meanings = names.map((name) => `\`{${name}}\` is ${placeholders[name].words}.`)
  const pattern = parts.map((part) =>
    typeof part === 'string' ? escaped(part) : placeholders[part.name as HeaderField].pattern,
  )
  return {
    description: `Of the form \`${template}\`. ${meanings.join(' ')}`,
    schema: { type: 'string', pattern: `^${pattern.join('')}$` },
  }
}

const sentence = (words: string) => `${words[0]!.toUpperCase()}${words.slice(1)}.`
