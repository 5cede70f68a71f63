import { canonicalJson } from '../../core/canonicalJson.ts'
import type { JsonSchema } from '../../core/catalog.ts'
import { mapSchemas } from '../../validation/mapSchemas.ts'

/** Titles of this form are names; any other title is for people alone. */
const NAME = /^[A-Z]\w+$/

/** The schemas of one document that have names. */
export class SchemaComponents {
  readonly #schemas = new Map<string, JsonSchema>()

  /** The named schemas by name, in alphabetical order, so that documents change only where the API does. */
  all(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** @throws Error when no schema has the name */
  get(name: string): JsonSchema {
    const schema = this.#schemas.get(name)
    if (schema === undefined) throw new Error(`no route has a schema with the title ${name}`)
    return schema
  }

  /** Puts a schema in the place of the one that has this name. */
  replace(name: string, schema: JsonSchema): void {
    this.#schemas.set(name, schema)
  }

  /**
   * The schema as a document shows it: whatever has a name is kept here and referred to.
   * @throws Error when two schemas share a name and differ
   */
  refer(schema: JsonSchema): JsonSchema {
    return this.#shown(plain(schema))
  }

  /**
   * Keeps a schema under a name.
   * @returns a reference to it
   * @throws Error when another schema has the name
   */
  define(name: string, schema: JsonSchema): JsonSchema {
    const known = this.#schemas.get(name)
    if (known === undefined) this.#schemas.set(name, schema)
    else if (canonicalJson(known) !== canonicalJson(schema)) {
      const [one, other] = [canonicalJson(known), canonicalJson(schema)]
      throw new Error(`two different schemas are called ${name}: ${one} and ${other}`)
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  /**
   * Keeps a schema under a name, or under one like it where another schema has the name: types of a profile may be
   * called as they like.
   * @returns a reference to it
   */
  named(name: string, schema: JsonSchema): JsonSchema {
    for (let count = 1; ; count++) {
      const free = count === 1 ? name : `${name}${count}`
      const titled = schema.title === undefined ? schema : { ...schema, title: free }
      const known = this.#schemas.get(free)
      if (known === undefined || canonicalJson(known) === canonicalJson(titled))
        return this.define(free, titled)
    }
  }

  #shown(schema: JsonSchema): JsonSchema {
    const { title, type } = schema
    const inner = (of: JsonSchema) => mapSchemas(of, (one) => this.#shown(one))
    if (typeof title !== 'string' || !NAME.test(title)) return inner(schema)
    if (Array.isArray(type) && type.includes('null')) {
      // Of a named schema that may also be null, the name is that of the value.
      const rest = type.filter((name) => name !== 'null')
      const present = this.#shown({ ...schema, type: rest.length === 1 ? rest[0] : rest })
      return { anyOf: [present, { type: 'null' }] }
    }
    return this.define(title, inner(schema))
  }
}

/** Only what is JSON: builders keep hidden members. */
const plain = (schema: JsonSchema) => JSON.parse(JSON.stringify(schema)) as JsonSchema
