import fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { serviceDocument } from '../../src/http/documents/build.ts'
import { type Collected, collectRoutes, PUT_ASIDE } from '../../src/http/documents/collect.ts'
import { SchemaComponents } from '../../src/http/documents/components.ts'
import { Documents } from '../../src/http/documents/documents.ts'
import { eventServiceOf } from '../../src/http/documents/events/service.ts'
import { describePaths } from '../../src/http/documents/openapi.ts'
import { buildSlice } from '../../src/http/documents/turns.ts'
import { contentService } from '../../src/profiles/builtIn.ts'

/** The collected parts of one route. */
async function collect(schema: object, path = '/admin/v1/things'): Promise<Collected> {
  const app = fastify()
  const collected = collectRoutes(app)
  app.register((scope, _options, done) => {
    scope.post(path, { schema }, async () => null)
    done()
  })
  await app.ready()
  try {
    return collected()
  } finally {
    await app.close()
  }
}

const thing = { title: 'Thing', type: 'object', properties: { id: { type: 'string' } } }

async function described(schema: object) {
  const schemas = new SchemaComponents('unique')
  const paths = await describePaths(await collect(schema), schemas, () => true, buildSlice())
  return { operation: paths['/admin/v1/things']!.post!, schemas: schemas.all() }
}

it.each([
  [{}, true],
  [{ default: {} }, false],
])('a body with %j is required: %s', async (more, required) => {
  const body = { required: true, content: { 'application/json': { schema: { [PUT_ASIDE]: 0 } } } }
  const paths = { '/things': { post: { requestBody: body, responses: {} } } }
  const collected = { paths, schemas: [{ type: 'object', ...more }] }
  const schemas = new SchemaComponents('unique')
  const described = await describePaths(collected, schemas, () => true, buildSlice())
  const { requestBody } = described['/things']!.post!
  expect(requestBody).toMatchObject({ required, content: { 'application/json': { schema: more } } })
})

describe('a schema with a name', () => {
  it('becomes a component, and is referred to wherever it is used', async () => {
    const list = { type: 'object', properties: { things: { type: 'array', items: thing } } }
    const { operation, schemas } = await described({ body: thing, response: { 200: list } })
    const ref = { $ref: '#/components/schemas/Thing' }
    expect(schemas).toEqual({ Thing: thing })
    expect(operation.requestBody!.content['application/json']!.schema).toEqual(ref)
    expect(operation.responses[200]!.content!['application/json']!.schema).toEqual({
      type: 'object',
      properties: { things: { type: 'array', items: ref } },
    })
  })

  it('keeps its name where it may also be null', async () => {
    const orNull = { ...thing, type: ['object', 'null'] }
    const { operation, schemas } = await described({
      response: { 200: { type: 'object', properties: { thing: orNull } } },
    })
    expect(schemas).toEqual({ Thing: thing })
    expect(operation.responses[200]!.content!['application/json']!.schema).toEqual({
      type: 'object',
      properties: { thing: { anyOf: [{ $ref: '#/components/schemas/Thing' }, { type: 'null' }] } },
    })
  })

  it('must not share it with another schema', async () => {
    const other = { ...thing, properties: {} }
    await expect(described({ body: thing, response: { 200: other } })).rejects.toThrow(
      'two different schemas are called Thing',
    )
  })

  it('is distinguished from one with a title for people, and from data that has a title', async () => {
    const body = { title: 'A thing', type: 'object', properties: {}, examples: [{ title: 'Thing' }] }
    const { operation, schemas } = await described({ body, response: { 200: thing } })
    expect(schemas).toEqual({ Thing: thing })
    expect(operation.requestBody!.content['application/json']!.schema).toEqual(body)
  })
})

it('JSON Schema keywords of a body are passed on unchanged', async () => {
  const body = {
    type: 'object',
    patternProperties: { '^[a-z]+$': { const: 'x' } },
    additionalProperties: false,
    examples: [{ a: 'x' }],
  }
  const { operation } = await described({ body, response: { 200: thing } })
  expect(operation.requestBody!.content['application/json']!.schema).toEqual(body)
})

it('headers that a route declares for a response are documented in addition to the automatic ones', async () => {
  const headers = { 'X-Left': { type: 'integer', description: 'How many are left.' } }
  const { operation } = await described({ response: { 200: { ...thing, headers } } })
  expect(Object.keys(operation.responses[200]!.headers!)).toEqual(['X-Request-Id', 'X-Left'])
  expect(operation.responses[200]!.headers!['X-Left']).toEqual({
    description: 'How many are left.',
    schema: { type: 'integer' },
  })
})

const unexpected = (error: unknown) => {
  throw error
}

describe('documents are not built', () => {
  it('for a route that belongs to none of them', async () => {
    const schema = { operationId: 'lost', response: { 200: thing } }
    const collected = await collect(schema, '/elsewhere')
    const documents = new Documents(
      new Map(),
      () => collected,
      () => '',
      unexpected,
    )
    const message = 'no document is meant for the route /elsewhere'
    await expect(documents.file('/openapi/admin.json')).rejects.toThrow(message)
  })

  it('when no operation publishes the events of a service', async () => {
    const collected = await collect({ response: { 200: thing } })
    const building = serviceDocument(collected, eventServiceOf(contentService()))
    await expect(building).rejects.toThrow('no route has a schema with the title')
  })
})

it('only services that run here have documents', async () => {
  const collected = await collect({ response: { 200: thing } })
  const documents = new Documents(
    new Map(),
    () => collected,
    () => '',
    unexpected,
  )
  const has = async (path: string) => (await documents.file(path)) !== undefined
  for (const path of [
    '/openapi/admin.json',
    '/openapi/console.json',
    '/asyncapi.json',
    '/schemas/index.json',
    '/schemas/profile.json',
  ]) {
    expect([path, await has(path)]).toEqual([path, true])
  }
  for (const path of ['/openapi/content.json', '/schemas/content/version.approved.json', '/openapi/', '/x']) {
    expect([path, await has(path)]).toEqual([path, false])
  }
})
