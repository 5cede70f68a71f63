import { type Catalog, OpenCatalog, typeOf } from '../../core/catalog.ts'
import { FORMS } from '../../core/textForms.ts'
import type { InputError } from '../../validation/inputErrors.ts'
import { invalidRequest, type Problem } from './problems.ts'

/**
 * What is wrong with an event type to publish or subscribe to; `null` when nothing is.
 * @param service of the workspace, where the caller may have another service in mind
 */
export function eventTypeMistake(
  catalog: Catalog,
  type: string,
  service: string | null = null,
): string | null {
  const entry = typeOf(catalog, type)
  if (entry === undefined) return unknownMessage(catalog, type, service)
  return entry.subscribable ? null : 'is sent only by the service itself; remove it'
}

/** What is wrong with a list of event types, as far as it is a list of strings. */
export function eventTypeErrors(catalog: Catalog, types: unknown, at: string): readonly InputError[] {
  if (!Array.isArray(types)) return []
  return types.flatMap((type, index) => {
    const message = typeof type === 'string' ? eventTypeMistake(catalog, type) : null
    return message === null ? [] : [{ pointer: `${at}/${index}`, message }]
  })
}

/** Types that one question names, at most. */
const MOST_TYPES = 20

/**
 * Reads a query for events of some types, which stand with commas between them. A type that does not exist is refused: it would find
 * nothing, and a slip of the fingers would look like a quiet day.
 * @returns `null`: of any
 * @throws Problem that names the query parameter
 */
export function readTypes(
  catalog: Catalog,
  types: string | undefined,
  parameter: string,
): readonly string[] | null {
  if (types === undefined) return null
  const read = [...new Set(types.split(','))]
  const unknown = read.find((type) => typeOf(catalog, type) === undefined)
  if (unknown !== undefined) throw unknownType(catalog, unknown, parameter)
  if (read.length <= MOST_TYPES) return read
  const message = `must have at most ${MOST_TYPES} types; remove it to get all types`
  throw invalidRequest([{ pointer: `/${parameter}`, message }], 'query string')
}

/** The refusal of a query parameter that names no event type. */
export function unknownType(catalog: Catalog, type: string, parameter: string): Problem {
  const mistake = { pointer: `/${parameter}`, message: unknownMessage(catalog, type) }
  return invalidRequest([mistake], 'query string')
}

function unknownMessage(catalog: Catalog, type: string, service: string | null = null): string {
  if (catalog instanceof OpenCatalog) return `must be ${FORMS.eventTypeName.allowed}`
  const ofService = service === null ? '' : ` of ${service}, the service of this workspace`
  return `is not an event type${ofService}${hint(catalog, type)}`
}

/** Names the type that was probably meant, or where the list is if none is near enough to be a slip of the fingers. */
function hint(catalog: Catalog, type: string): string {
  if (type.length > MAX_NAME_LENGTH) return SEE_LIST
  let nearest = ''
  let least = Math.max(2, Math.floor(type.length / 3)) + 1
  for (const name of catalog.keys()) {
    const distance = editDistance(type.toLowerCase(), name)
    if (distance < least) [least, nearest] = [distance, name]
  }
  return nearest === '' ? SEE_LIST : `; did you mean ${nearest}?`
}

const SEE_LIST = '; GET /schemas/index.json lists them'

/** Names are shorter than this; the bound keeps the comparison of made-up ones cheap. */
const MAX_NAME_LENGTH = 64

/** Levenshtein's distance, row by row. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, previous[j]! + 1, row[j - 1]! + 1))
    }
    previous = row
  }
  return previous[b.length]!
}
