import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { adsCatalog } from '../../src/dialects/ads/catalog/index.ts'
import { canonicalJson } from '../../src/http/shared/canonical.ts'
import locked from './adsShapes.lock.json' with { type: 'json' }

/** Said for people alone: rewording them changes no shape. */
const ANNOTATIONS = ['title', 'description', 'examples']

/** What receivers rely on: the names, types and bounds of a payload, whatever order they are written in. */
function shapeOf(node: unknown, isMembers = false): unknown {
  if (Array.isArray(node)) return node.map((item) => shapeOf(item))
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).filter(([name]) => isMembers || !ANNOTATIONS.includes(name))
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      name === 'required' && !isMembers
        ? [...value].sort()
        : shapeOf(value, name === 'properties' && !isMembers),
    ]),
  )
}

function fingerprintOf(type: string): string {
  const { entityType, schema } = adsCatalog.get(type)!
  const text = canonicalJson({ entityType, schema: shapeOf(schema) })
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

// A new type is added to the lock with the fingerprint that the first test shows; no line of it ever changes.
const shapes: Readonly<Record<string, string>> = locked

test.each([...adsCatalog.keys()])('%s has the shape that it was published with', (type) => {
  expect({ [type]: fingerprintOf(type) }).toEqual({ [type]: shapes[type] })
})

test('no type that was published has left the catalog', () => {
  expect(Object.keys(shapes).filter((type) => !adsCatalog.has(type))).toEqual([])
})

test('a member that is renamed, loosened or added changes the shape, a new wording does not', () => {
  const schema = (member: object, name = 'status') => ({ type: 'object', properties: { [name]: member } })
  const status = { type: 'string', maxLength: 10, description: 'before' }
  const shape = (of: object) => canonicalJson(shapeOf(of))
  const published = shape(schema(status))
  expect(shape(schema({ ...status, description: 'after', examples: ['x'] }))).toBe(published)
  expect(shape(schema({ ...status, maxLength: 11 }))).not.toBe(published)
  expect(shape(schema(status, 'state'))).not.toBe(published)
  expect(shape(schema(status, 'description'))).not.toBe(shape(schema(status, 'title')))
})
