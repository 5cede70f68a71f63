import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EventType, JsonSchema } from '../../src/core/catalog.ts'
import { adsCatalog, contentCatalog } from '../../src/profiles/builtIn.ts'

type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json }
type JsonObject = { readonly [member: string]: Json }
type Path = readonly (string | number)[]

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const compile = (schema: JsonSchema) => {
  const ajv = new Ajv2020({ strict: true, allErrors: true })
  ajvFormats.default(ajv)
  return ajv.compile(schema)
}

const nodeKeywords = new Set([
  'type',
  'description',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'minItems',
  'maxItems',
  'uniqueItems',
  'pattern',
  'format',
  'maxLength',
  'minimum',
  'maximum',
  'examples',
])

/** Every schema inside `schema`, itself first. Throws on a keyword that could hide a schema from the walk. */
function nodesOf(schema: JsonSchema): JsonSchema[] {
  for (const keyword of Object.keys(schema)) {
    if (!nodeKeywords.has(keyword)) throw new Error(`keyword ${keyword} is not one the walk understands`)
  }
  const children = isObject(schema.properties) ? Object.values(schema.properties) : []
  if (schema.items !== undefined) children.push(schema.items as Json)
  return [schema, ...children.flatMap((child) => nodesOf(child as JsonSchema))]
}

const allows = (node: JsonSchema, type: string) => [node.type].flat().includes(type)

/** Where the objects inside a value are, the value itself first. */
function objectPaths(value: Json, path: Path = []): Path[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => objectPaths(item, [...path, index]))
  if (!isObject(value)) return []
  return [path, ...Object.entries(value).flatMap(([member, inner]) => objectPaths(inner, [...path, member]))]
}

/** A copy of `value` with the object at `path` changed by `change`. */
function changeAt(value: Json, path: Path, change: (object: JsonObject) => JsonObject): Json {
  const [step, ...rest] = path
  if (step === undefined) return change(value as JsonObject)
  if (Array.isArray(value))
    return value.map((item, index) => (index === step ? changeAt(item, rest, change) : item))
  const object = value as JsonObject
  return { ...object, [step]: changeAt(object[step] as Json, rest, change) }
}

const membersAt = (example: Json, path: Path): string[] => {
  const object = path.reduce<Json>(
    (value, step) => (value as Record<string | number, Json>)[step] as Json,
    example,
  )
  return Object.keys(object as JsonObject)
}

const catalogs = [
  { dialect: 'content', catalog: contentCatalog },
  { dialect: 'ads', catalog: adsCatalog },
]

describe.each(catalogs)('the $dialect catalog', ({ catalog }) => {
  const types: EventType[] = [...catalog.values()]

  it.each(types)(
    '$type: the schema compiles in strict mode and is plain JSON data',
    ({ schema, example }) => {
      expect(() => compile(schema)).not.toThrow()
      expect(JSON.parse(JSON.stringify(schema))).toStrictEqual(schema)
      expect(JSON.parse(JSON.stringify(example))).toStrictEqual(example)
    },
  )

  it.each(types)('$type: every object is closed and requires all of its members', ({ schema }) => {
    expect(schema.type).toBe('object')
    for (const node of nodesOf(schema).filter((node) => allows(node, 'object'))) {
      expect(node.additionalProperties).toBe(false)
      expect(node.required).toEqual(Object.keys(node.properties as JsonSchema))
    }
  })

  it.each(types)('$type: every value has a description and limits', ({ schema }) => {
    for (const node of nodesOf(schema)) {
      expect(node.description, JSON.stringify(node)).toEqual(expect.stringMatching(/^[^ ].*[.]$/))
      if (allows(node, 'string'))
        expect(node.maxLength).toBeLessThanOrEqual(node.format === 'uri' ? 2048 : 500)
      if (allows(node, 'array')) expect(node.maxItems).toBeLessThanOrEqual(100)
      if (allows(node, 'integer')) {
        expect(Number.isSafeInteger(node.minimum)).toBe(true)
        expect(Number.isSafeInteger(node.maximum)).toBe(true)
      }
    }
  })

  it.each(types)(
    '$type: no set of values is closed, so a value added later does not make an event invalid',
    ({ schema }) => {
      expect(JSON.stringify(schema)).not.toMatch(/"(enum|const)":/)
    },
  )

  it.each(types)(
    '$type: the example validates, and so does every value its codes name',
    ({ schema, example }) => {
      const validate = compile(schema)
      expect(validate(example), JSON.stringify(validate.errors)).toBe(true)
      for (const node of nodesOf(schema).filter((node) => node.examples !== undefined)) {
        for (const value of node.examples as unknown[]) expect(compile(node)(value)).toBe(true)
      }
    },
  )

  it.each(types)('$type: an additional member is rejected at every level', ({ schema, example }) => {
    const validate = compile(schema)
    for (const path of objectPaths(example as Json)) {
      const known = membersAt(example as Json, path)
      fc.assert(
        fc.property(fc.string(), fc.jsonValue(), (member, value) => {
          fc.pre(!known.includes(member) && member !== '__proto__')
          return !validate(
            changeAt(example as Json, path, (object) => ({ ...object, [member]: value as Json })),
          )
        }),
        { numRuns: 25 },
      )
    }
  })

  it.each(types)('$type: a missing member is rejected at every level', ({ schema, example }) => {
    const validate = compile(schema)
    for (const path of objectPaths(example as Json)) {
      for (const member of membersAt(example as Json, path)) {
        const without = changeAt(example as Json, path, ({ [member]: _, ...rest }) => rest)
        expect(validate(without), `${path.join('.')} without ${member}`).toBe(false)
      }
    }
  })

  it.each(types)('$type: the body of an article is rejected, under any usual name', ({ schema, example }) => {
    const validate = compile(schema)
    for (const path of objectPaths(example as Json)) {
      for (const member of ['body', 'content', 'html', 'markdown', 'text_body', 'excerpt', 'bodyHtml']) {
        const value = '<p>The whole article.</p>'
        expect(validate(changeAt(example as Json, path, (object) => ({ ...object, [member]: value })))).toBe(
          false,
        )
      }
    }
  })

  it.each(types)('$type: texts for people exist and end as sentences', (event) => {
    expect(event.title).toMatch(/^[A-Z].{2,40}[^.]$/)
    expect(event.description).toMatch(/^[A-Z].{20,300}[.]$/)
    expect(event.group).toMatch(/^[A-Z]/)
  })
})
