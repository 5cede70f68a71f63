import { booleans, numbers, texts } from '../postgres/values.ts'

/** What a column holds, in either store. */
export type Kind = 'integer' | 'boolean' | 'text' | 'bytes'

/** As it comes from the embedded store, where a boolean is 0 or 1. */
export type Value = number | string | Uint8Array | null

interface KindFacts {
  /** The column types of PostgreSQL that hold it. */
  readonly types: readonly string[]
  /** The type of a parameter with many of them. */
  readonly arrayType: string
  readonly toArray: (values: readonly Value[]) => string | Buffer
  /**
   * One value in words that both stores write alike: what is of any length is preceded by it, so that no two rows have
   * the same words.
   */
  readonly words: (value: Value) => string
  /** The same, written by PostgreSQL. */
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

/** @param type of a column, as PostgreSQL writes it */
export function kindOf(type: string): Kind {
  const known = Object.entries(KINDS).find(([, { types }]) => types.includes(type))
  if (known === undefined) throw new Error(`columns of the type ${type} cannot be moved`)
  return known[0] as Kind
}
