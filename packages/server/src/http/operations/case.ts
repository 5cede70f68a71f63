import type { TSchema } from 'typebox'
import { camelCase } from '../../profiles/eventForm.ts'

type Json = Readonly<Record<string, unknown>>
/** What renames the members of a value; `null`: it has none to rename. */
type Rename = ((value: unknown) => unknown) | null

/** How the members of a service's JSON are spelled: operations are written in snake_case. */
export interface Spelling {
  /** Of one member. */
  readonly member: (name: string) => string
  readonly schema: <S extends TSchema>(schema: S) => S
  /** Makes what writes values of a schema, which is spelled in snake_case, in this spelling. */
  readonly writer: (schema: TSchema) => (value: unknown) => unknown
  /** The reverse, for what callers send. Members that the schema does not know stay. */
  readonly reader: (schema: TSchema) => (value: unknown) => unknown
}

const same = <T>(value: T): T => value

const SNAKE: Spelling = { member: same, schema: same, writer: () => same, reader: () => same }

const CAMEL: Spelling = {
  member: camelCase,
  schema: camelSchema,
  writer: (schema) => renaming(schema, (name) => [name, camelCase(name)]) ?? same,
  reader: (schema) => renaming(schema, (name) => [camelCase(name), name]) ?? same,
}

export const spellingOf = (style: 'snake' | 'camel'): Spelling => (style === 'camel' ? CAMEL : SNAKE)

const literal = new WeakSet<object>()

/** Marks a schema whose members the profile names itself: they are spelled the same everywhere. */
export function asIs<S extends TSchema>(schema: S): S {
  literal.add(schema)
  return schema
}

interface Parts {
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly required?: readonly string[]
  readonly items?: TSchema
}

function camelSchema<S extends TSchema>(schema: S): S {
  if (literal.has(schema)) return schema
  const { properties, required, items } = schema as Parts
  const changed: Json = {
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, of]) => [camelCase(name), camelSchema(of)]),
          ),
        }),
    ...(required === undefined ? {} : { required: required.map(camelCase) }),
    ...(items === undefined ? {} : { items: camelSchema(items) }),
  }
  // The library keeps marks that are not enumerable, such as that of what is optional.
  const made = Object.create(
    Object.getPrototypeOf(schema),
    Object.getOwnPropertyDescriptors(schema),
  ) as object
  for (const [name, value] of Object.entries(changed))
    Object.defineProperty(made, name, { value, enumerable: true })
  return made as S
}

/** @param names of a member, in the value and in what is made of it */
function renaming(schema: TSchema, names: (name: string) => readonly [string, string]): Rename {
  if (literal.has(schema)) return null
  const { properties, items } = schema as Parts
  if (items !== undefined) {
    const item = renaming(items, names)
    return item === null ? null : (value) => (Array.isArray(value) ? value.map(item) : value)
  }
  if (properties === undefined) return null
  const members = new Map(
    Object.entries(properties).map(([name, of]) => {
      const [from, to] = names(name)
      return [from, { to, inner: renaming(of, names) }]
    }),
  )
  if ([...members].every(([from, { to, inner }]) => from === to && inner === null)) return null
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const renamed: Record<string, unknown> = {}
    for (const [name, held] of Object.entries(value)) {
      const member = members.get(name)
      const to = member?.to ?? name
      renamed[to] = member?.inner == null ? held : member.inner(held)
    }
    return renamed
  }
}
