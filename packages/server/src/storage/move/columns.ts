import { booleans, numbers, texts } from '../postgres/values.ts'

/** The type of a column, in either store. */
export type Kind = 'integer' | 'boolean' | 'text' | 'bytes'

/** As the embedded store returns it, where a boolean is 0 or 1. */
export type Value = number | string | Uint8Array | null

interface KindFacts {
  /** The matching column types of PostgreSQL. */
  readonly types: readonly string[]
  /** The type of a parameter with many values. */
  readonly arrayType: string
  readonly toArray: (values: readonly Value[]) => string | Buffer
  /**
   * One value as text that both stores produce alike. Values of variable length are preceded by their length, so that different
   * rows never have the same text.
   */
  readonly words: (value: Value) => string
  /** The same, produced by PostgreSQL. */
  readonly wordsSql: (column: string) => string
}

const NOTHING = '-'

const numberWords = (value: Value): string => (value === null ? NOTHING : String(value))

const hexOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')

export const KINDS: Readonly<Record<Kind, KindFacts>> = {
  integer: {
    types: ['bigint', 'integer', 'smallint'],
    arrayType: 'bigint[]',
    toArray: (values) => numbers(values as readonly (number | null)[]),
    words: numberWords,
    wordsSql: (column) => `coalesce(${column}::text, '${NOTHING}')`,
  },
  boolean: {
    types: ['boolean'],
    arrayType: 'boolean[]',
    toArray: (values) => booleans(values.map((value) => (value === null ? null : value !== 0))),
    words: numberWords,
    wordsSql: (column) => `coalesce(${column}::int::text, '${NOTHING}')`,
  },
  text: {
    types: ['text'],
    arrayType: 'text[]',
    toArray: (values) => texts(values as readonly (string | null)[]),
    words: (value) => (value === null ? NOTHING : `${Buffer.byteLength(value as string)}:${value}`),
    wordsSql: (column) => `coalesce(octet_length(${column}) || ':' || ${column}, '${NOTHING}')`,
  },
  bytes: {
    types: ['bytea'],
    arrayType: 'bytea[]',
    toArray: (values) =>
      texts(values.map((value) => (value === null ? null : `\\x${hexOf(value as Uint8Array)}`))),
    words: (value) =>
      value === null ? NOTHING : `${(value as Uint8Array).length}:${hexOf(value as Uint8Array)}`,
    wordsSql: (column) =>
      `coalesce(octet_length(${column}) || ':' || encode(${column}, 'hex'), '${NOTHING}')`,
  },
}

/** @param type of a column, as PostgreSQL names it */
export function kindOf(type: string): Kind {
  const known = Object.entries(KINDS).find(([, { types }]) => types.includes(type))
  if (known === undefined) throw new Error(`columns of the type ${type} cannot be moved`)
  return known[0] as Kind
}
