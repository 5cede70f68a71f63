import { namesIn, partsOf } from './templates.ts'
import { headerWith, type Verification } from './verification.ts'

/** What a receiver takes from one header. */
export interface Reading {
  readonly header: string
  /** Placeholders of templates. */
  readonly fields: readonly string[]
  /** A regular expression with a group for each field; `null`: the header holds the field alone. */
  readonly pattern: string | null
}

/** The headers that say what was signed and how; `null`: something that was signed is in no header. */
export function readingsOf({ scheme, headers }: Verification): readonly Reading[] | null {
  const wanted = [...namesIn(scheme.content).filter((name) => name !== 'body'), 'signatures']
  const found = new Map<string, string[]>()
  for (const field of new Set(wanted)) {
    const header = headerWith(field, headers)
    if (header === null) return null
    found.set(header, [...(found.get(header) ?? []), field])
  }
  return [...found].map(([header, fields]) => readingOf(header, headers[header]!, fields))
}

function readingOf(header: string, template: string, wanted: readonly string[]): Reading {
  const parts = partsOf(template)
  if (parts.length === 1) return { header, fields: wanted, pattern: null }
  const fields: string[] = []
  const pattern = parts.map((part) => {
    if (typeof part === 'string') return part.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')
    if (!wanted.includes(part.name) || fields.includes(part.name)) return '.*?'
    fields.push(part.name)
    return '(.*?)'
  })
  return { header, fields, pattern: pattern.join('') }
}
