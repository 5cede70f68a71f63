import type { ErrorObject } from 'ajv/dist/2020.js'
import { allowedBy, FORMATS } from '../core/textForms.ts'

/** One thing that is wrong with an input, and where. `pointer` is an RFC 6901 JSON pointer. */
export interface InputError {
  readonly pointer: string
  readonly message: string
}

/** Says in words what an error of Ajv means and what would be right. */
export function toInputError(error: ErrorObject, at: string): InputError {
  const pointer = at + error.instancePath
  const { propertyName } = error
  if (propertyName !== undefined) {
    const allowed = allowedBy(error.params.pattern) ?? OTHERWISE
    const message = `has a name that is not allowed; names must be ${allowed}`
    return { pointer: `${pointer}/${escapePointer(propertyName)}`, message }
  }
  switch (error.keyword) {
    case 'required':
      return { pointer: `${pointer}/${escapePointer(error.params.missingProperty)}`, message: 'is required' }
    case 'additionalProperties':
      return {
        pointer: `${pointer}/${escapePointer(error.params.additionalProperty)}`,
        message: unknownMember(error),
      }
    default:
      return { pointer, message: WORDS[error.keyword]?.(error.params) ?? error.message ?? 'is not valid' }
  }
}

/** If the schema describes the names of members by a pattern, the name is wrong. */
function unknownMember({ parentSchema, params }: ErrorObject): string {
  const [pattern] = Object.keys((parentSchema?.patternProperties as object | undefined) ?? {})
  if (pattern !== undefined)
    return `has a name that is not allowed; names must be ${allowedBy(pattern) ?? OTHERWISE}`
  const known = Object.keys((parentSchema?.properties as object | undefined) ?? {})
  const meant = memberMeant(params.additionalProperty, known)
  return `is not a known member; ${meant === null ? 'remove it' : `did you mean ${meant}?`}`
}

/** Beyond these no member is suggested, so that bodies full of unknown members cost little. */
const LONGEST_NAME = 64
const MOST_KNOWN = 50

/** The one known member that has all words of a name, as `event_types` for `types`, `eventTypes` or `events`. */
function memberMeant(name: string, known: readonly string[]): string | null {
  if (name.length > LONGEST_NAME || known.length > MOST_KNOWN) return null
  const words = wordsOf(name)
  const meant = known.filter((member) => {
    const its = wordsOf(member)
    return words.length > 0 && words.every((word) => its.includes(word))
  })
  return meant.length === 1 ? meant[0]! : null
}

/** In lower case and singular. */
const wordsOf = (name: string): string[] =>
  (name.match(/[A-Z]?[a-z]+/g) ?? []).map((word) => word.toLowerCase().replace(/s$/, ''))

type Params = ErrorObject['params']

const WORDS: Readonly<Record<string, (params: Params) => string>> = {
  enum: ({ allowedValues }) => `must be one of ${allowedValues.join(', ')}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  type: ({ type }) => `must be ${[type].flat().map(typeText).join(' or ')}`,
  format: ({ format }) => `must be ${FORMATS[format] ?? OTHERWISE}`,
  minItems: ({ limit }) => `must have at least ${counted(limit, 'item')}`,
  maxItems: ({ limit }) => `must have at most ${counted(limit, 'item')}`,
  minLength: ({ limit }) => `must have at least ${counted(limit, 'character')}`,
  maxLength: ({ limit }) => `must have at most ${counted(limit, 'character')}`,
  minProperties: ({ limit }) => `must have at least ${counted(limit, 'member')}`,
  maxProperties: ({ limit }) => `must have at most ${counted(limit, 'member')}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  uniqueItems: () => 'must not contain the same item twice',
  pattern: ({ pattern }) => `must be ${allowedBy(pattern) ?? OTHERWISE}`,
}

const TYPES: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
}
const typeText = (type: string): string => TYPES[type] ?? type

/** For patterns and formats that have no words. */
const OTHERWISE = 'in the form that the API documents describe'

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

function escapePointer(member: string): string {
  return member.replaceAll('~', '~0').replaceAll('/', '~1')
}
