import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkLock, LOCK_FILE, presentShapes, rewriteLock } from '../../../../tools/catalog/commands.ts'
import type { Shapes } from '../../../../tools/catalog/lock.ts'
import { adsCatalog } from '../../src/profiles/builtIn.ts'
import { shapeOf } from '../../src/profiles/shape.ts'

let directory: string
let file: string
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'posthorn-lock-'))
  file = path.join(directory, 'catalog.lock.json')
  writeFileSync(file, readFileSync(LOCK_FILE))
})
afterEach(() => rmSync(directory, { recursive: true }))

const shapes = presentShapes()
const ADS_TYPE = 'campaign.created.v1'
const CONTENT_TYPE = 'version.approved'

/** The shapes with one member of one type's schema changed. */
function changed(service: string, type: string): Shapes {
  const copy = structuredClone(shapes) as Record<string, Record<string, { schema: Record<string, unknown> }>>
  copy[service]![type]!.schema.maxProperties = 3
  return copy
}

function without(service: string, type: string): Shapes {
  const { [type]: _, ...rest } = shapes[service]!
  return { ...shapes, [service]: rest }
}

const added = (service: string, type: string): Shapes => ({
  ...shapes,
  [service]: { ...shapes[service], [type]: { schema: { type: 'object' } } },
})

describe('the check of the lock', () => {
  it('passes for the current catalogs', () => {
    expect(checkLock(LOCK_FILE, shapes)).toEqual([])
  })

  it('fails when the shape of an ads type changed, and says where and what to do', () => {
    const [breach, ...more] = checkLock(file, changed('ads', ADS_TYPE))
    expect(more).toEqual([])
    expect(breach).toContain(`ads: ${ADS_TYPE} has another shape`)
    expect(breach).toContain('/schema/maxProperties was absent and is 3')
    expect(breach).toContain('publish it as campaign.created.v2')
  })

  it.each([
    ['content', CONTENT_TYPE],
    ['content', 'webhook.test'],
    ['ads', ADS_TYPE],
  ])('fails when a type of %s is missing', (service, type) => {
    expect(checkLock(file, without(service, type))).toEqual([expect.stringContaining(`${type} is gone`)])
  })

  it('fails when a whole service is missing', () => {
    const { ads: _, ...rest } = shapes
    expect(checkLock(file, rest)).toHaveLength(adsCatalog.size)
  })

  it.each(['content', 'ads'])('passes when a type of %s is added, before it is locked', (service) => {
    expect(checkLock(file, added(service, 'thing.made.v1'))).toEqual([])
  })

  it('fails when the shape of a content type changed, until the lock is rewritten', () => {
    const shapes = changed('content', CONTENT_TYPE)
    expect(checkLock(file, shapes)).toEqual([expect.stringContaining('run `npm run catalog`')])
    expect(rewriteLock(file, shapes)).toEqual([])
    expect(checkLock(file, shapes)).toEqual([])
  })

  it('fails without a lock, instead of passing', () => {
    expect(() => checkLock(path.join(directory, 'none.json'), shapes)).toThrow('ENOENT')
  })
})

describe('rewriting the lock', () => {
  it('changes nothing when nothing changed', () => {
    expect(rewriteLock(file, shapes)).toEqual([])
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(LOCK_FILE, 'utf8'))
  })

  it('locks a type that was added', () => {
    expect(rewriteLock(file, added('ads', 'thing.made.v1'))).toEqual([])
    expect(checkLock(file, shapes)).toEqual([expect.stringContaining('thing.made.v1 is gone')])
  })

  it.each([
    ['the shape of an ads type changed', changed('ads', ADS_TYPE)],
    ['a type of ads is gone', without('ads', ADS_TYPE)],
    ['a type of content is gone', without('content', CONTENT_TYPE)],
  ])('is rejected when %s, and leaves the lock unchanged', (_, shapes) => {
    expect(rewriteLock(file, shapes)).toHaveLength(1)
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(LOCK_FILE, 'utf8'))
  })
})

describe('a shape', () => {
  const type = adsCatalog.get(ADS_TYPE)!
  const status = { type: ['string', 'null'], maxLength: 10, description: 'before' }
  const schema = (member: object, name = 'status') => ({
    type: 'object',
    properties: { [name]: member, other: { type: 'string' } },
    required: [name, 'other'],
  })
  const of = (schema: object) => JSON.stringify(shapeOf({ ...type, schema: schema as typeof type.schema }))
  const published = of(schema(status))

  it('is the same when texts or order differ', () => {
    expect(of(schema({ ...status, description: 'after', examples: ['x'], title: 'Status' }))).toBe(published)
    const reordered = {
      required: ['other', 'status'],
      properties: {
        other: { type: 'string' },
        status: { description: '', maxLength: 10, type: ['null', 'string'] },
      },
      type: 'object',
    }
    expect(of(reordered)).toBe(published)
  })

  it('differs when a member is renamed, loosened, added or removed, or is about another entity', () => {
    expect(of(schema({ ...status, maxLength: 11 }))).not.toBe(published)
    expect(of(schema(status, 'state'))).not.toBe(published)
    expect(of({ ...schema(status), required: ['status'] })).not.toBe(published)
    expect(of(schema(status, 'description'))).not.toBe(of(schema(status, 'title')))
    const elsewhere = {
      ...type,
      members: { entityType: 'line_item' },
      schema: schema(status) as typeof type.schema,
    }
    expect(JSON.stringify(shapeOf(elsewhere))).not.toBe(published)
  })
})
