import { canonicalJson } from '../../core/canonicalJson.ts'
import type { JsonSchema } from '../../core/catalog.ts'
import { mapSchemas } from '../../validation/mapSchemas.ts'

/** Titles of this form are names; other titles are only for people. */
const NAME = /^[A-Z]\w+$/

/** The schemas of one document that have names. */
export class SchemaComponents {
  readonly #titles: 'unique' | 'numbered'
  readonly #schemas = new Map<string, JsonSchema>()
  /** The original schemas of {@link named}, by name. */
  readonly #given = new Map<string, JsonSchema>()
  /** Routes share schemas, and most answer the same problems. */
  readonly #referred = new Map<JsonSchema, JsonSchema>()

  /** @param titles whether two schemas with the same title are an error, or the second gets a number */
  constructor(titles: 'unique' | 'numbered') {
    this.#titles = titles
  }

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

  /** Replaces the schema with this name. */
  replace(name: string, schema: JsonSchema): void {
    this.#schemas.set(name, schema)
  }

  /**
   * The schema as a document shows it: named schemas are stored here and referenced.
   * @throws Error when two schemas have the same name and differ, unless they are numbered
   */
  refer(schema: JsonSchema): JsonSchema {
    let shown = this.#referred.get(schema)
    if (shown === undefined) {
      shown = this.#shown(plain(schema))
      this.#referred.set(schema, shown)
    }
    return shown
  }

  /** @throws Error when another schema has the name */
  #define(name: string, schema: JsonSchema): JsonSchema {
    const known = this.#schemas.get(name)
    if (known === undefined) this.#schemas.set(name, schema)
    else if (canonicalJson(known) !== canonicalJson(schema)) {
      const [one, other] = [canonicalJson(known), canonicalJson(schema)]
      throw new Error(`two different schemas are called ${name}: ${one} and ${other}`)
    }
    return referenceTo(name)
  }

  /**
   * Stores a schema under a name, or a similar one if another schema has it, since the types of a profile may have any name.
   * @returns a reference to it
   */
  named(name: string, schema: JsonSchema): JsonSchema {
    for (let count = 1; ; count++) {
      const free = count === 1 ? name : `${name}${count}`
      if (this.#given.get(free) === schema) return referenceTo(free)
      const titled = schema.title === undefined ? schema : { ...schema, title: free }
      const known = this.#schemas.get(free)
      if (known === undefined) {
        this.#schemas.set(free, titled)
        this.#given.set(free, schema)
        return referenceTo(free)
      }
      if (canonicalJson(known) === canonicalJson(titled)) return referenceTo(free)
    }
  }

  #shown(schema: JsonSchema): JsonSchema {
    const { title, type } = schema
    const inner = (of: JsonSchema) => withShownTitle(mapSchemas(of, (one) => this.#shown(one)))
    if (typeof title !== 'string' || !NAME.test(title)) return inner(schema)
    if (Array.isArray(type) && type.includes('null')) {
      // Of a named schema that may also be null, the name is that of the value.
      const rest = type.filter((name) => name !== 'null')
      const present = this.#shown({ ...schema, type: rest.length === 1 ? rest[0] : rest })
      return { anyOf: [present, { type: 'null' }] }
    }
    return this.#titles === 'unique' ? this.#define(title, inner(schema)) : this.named(title, inner(schema))
  }
}

const referenceTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

/** Replaces `title` in schemas of profiles, whose titles do not name components. */
const SHOWN_TITLE = 'x-posthorn-shown-title'

const renamed = (schema: JsonSchema, from: string, to: string): JsonSchema =>
  Object.hasOwn(schema, from)
    ? Object.fromEntries(Object.entries(schema).map(([key, value]) => [key === from ? to : key, value]))
    : schema

const withShownTitle = (schema: JsonSchema) => renamed(schema, SHOWN_TITLE, 'title')

/** A schema whose titles are shown, but do not name components. */
export const withoutNames = (schema: JsonSchema): JsonSchema =>
  mapSchemas(renamed(schema, 'title', SHOWN_TITLE), withoutNames)

/** Only the JSON part: builders add hidden members. */
const plain = (schema: JsonSchema) => JSON.parse(JSON.stringify(schema)) as JsonSchema
