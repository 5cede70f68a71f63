import type { RequestListener } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { ApiDocument } from '../../src/api/apiDocument.ts'
import { ApiClient, UndocumentedAnswerError } from '../../src/api/client.ts'
import { Coverage } from '../../src/api/coverage.ts'
import { NoAnswerError } from '../../src/api/transport.ts'
import { answer, bodyOf, problem, startTiny, THING, TINY, type TinyServer } from './tiny.ts'

const document = new ApiDocument('tiny', TINY)
let server: TinyServer | null = null
let client: ApiClient | null = null

afterEach(async () => {
  client?.close()
  await server?.close()
})

async function against(listener: RequestListener): Promise<ApiClient> {
  server = await startTiny(listener)
  client = new ApiClient(server.origin, [document])
  return client
}

const WELL = { 'x-count': '1' }
const read = (api: ApiClient) => api.call<typeof THING>('getThing', { params: { id: 'thing_1' } })

describe('an answer that the document describes', () => {
  test('is returned, with its headers', async () => {
    const api = await against((_, response) => answer(response, 200, THING, WELL))
    expect(await read(api)).toMatchObject({ status: 200, json: THING, headers: { 'x-count': '1' } })
  })

  test('may match a whole class of statuses, and may be behind a reference', async () => {
    const api = await against((_, response) => answer(response, 422, problem(422)))
    expect((await api.call('createThing', { json: {} })).status).toBe(422)
  })

  test('may have no body', async () => {
    const api = await against((_, response) => response.writeHead(204).end())
    expect((await api.call('deleteThing', { params: { id: 'x' } })).text).toBe('')
  })
})

describe('an answer is rejected when', () => {
  const cases: [title: string, listener: RequestListener, words: string[]][] = [
    [
      'its status is not described',
      (_, response) => answer(response, 409, problem(409)),
      ['getThing: GET /things/thing_1 answered 409', 'the status is not described; 200, 401, 404 are'],
    ],
    [
      'its content type is not described',
      (_, response) => answer(response, 200, THING, { ...WELL, 'content-type': 'text/html' }),
      ['the content type text/html; application/json are described'],
    ],
    [
      'it has no content type',
      (_, response) => response.writeHead(200, WELL).end(JSON.stringify(THING)),
      ['the content type is missing'],
    ],
    [
      'a member is missing',
      (_, response) => answer(response, 200, { id: 'x', name: 'y' }, WELL),
      ["must have required property 'created_at'"],
    ],
    [
      'a member is not described',
      (_, response) => answer(response, 200, { ...THING, secret: 1 }, WELL),
      ['"additionalProperty":"secret"'],
    ],
    [
      'a member has another type',
      (_, response) => answer(response, 200, { ...THING, name: null }, WELL),
      ['/name must be string'],
    ],
    [
      'a member does not have its format',
      (_, response) => answer(response, 200, { ...THING, created_at: 'yesterday' }, WELL),
      ['/created_at must match format "date-time"'],
    ],
    ['a header is missing', (_, response) => answer(response, 200, THING), ['the header x-count is missing']],
    [
      'a header does not fit its schema',
      (_, response) => answer(response, 200, THING, { 'x-count': 'many' }),
      ['the header x-count: many'],
    ],
    [
      'its body is no JSON',
      (_, response) => response.writeHead(200, { ...WELL, 'content-type': 'application/json' }).end('{'),
      ['the body is not JSON'],
    ],
    [
      'its body is no UTF-8',
      (_, response) =>
        response
          .writeHead(200, { ...WELL, 'content-type': 'application/json' })
          .end(Buffer.from([0x22, 0xff, 0x22])),
      ['the body is not UTF-8'],
    ],
  ]

  test.each(cases)('%s', async (_title, listener, words) => {
    const api = await against(listener)
    const error = await read(api).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UndocumentedAnswerError)
    for (const part of words) expect((error as Error).message).toContain(part)
  })

  test('it has a body where none is described', async () => {
    const api = await against((_, response) => answer(response, 202, {}))
    await expect(api.call('deleteThing', { params: { id: 'x' } })).rejects.toThrow(
      'a body came where none is described',
    )
  })

  test('no answer comes', async () => {
    const api = await against((request) => request.socket.destroy())
    await expect(read(api)).rejects.toBeInstanceOf(NoAnswerError)
  })
})

test('a request is sent as the call specifies', async () => {
  let seen: object = {}
  const api = await against(async (request, response) => {
    const { method, url, headers } = request
    const { authorization, 'content-type': type, 'if-match': match } = headers
    seen = { method, url, authorization, type, match, body: await bodyOf(request) }
    answer(response, 404, problem(404))
  })
  const query = { limit: 5, from: 'a b' }
  await api.call('getThing', {
    params: { id: 'a/b' },
    query,
    key: 'k',
    headers: { 'if-match': '"1"' },
    json: [1],
  })
  expect(seen).toEqual({
    method: 'GET',
    url: '/things/a%2Fb?limit=5&from=a+b',
    authorization: 'Bearer k',
    type: 'application/json',
    match: '"1"',
    body: '[1]',
  })
})

test('operations have the parameters of their path, and the security of the document', () => {
  const [create, get] = document.operations
  expect(create).toMatchObject({ id: 'createThing', body: { required: true }, security: [{ key: [] }] })
  expect(get!.parameters).toMatchObject([{ name: 'id', in: 'path', required: true }])
})

test('a document with an unknown keyword is rejected as soon as the schema is used', () => {
  const schemas = { Thing: { type: 'string', minLenght: 1 } }
  const broken = new ApiDocument('broken', { ...TINY, paths: {}, components: { schemas } })
  expect(() => broken.validate({ pointer: '#/components/schemas/Thing' })).toThrow('minLenght')
})

describe('coverage', () => {
  const [create, get, remove] = document.operations

  test('has a row for each operation and a mark for each answer', () => {
    const coverage = new Coverage(document.operations)
    coverage.record(create!, 201)
    coverage.record(create!, 415)
    coverage.record(get!, 404)
    expect(coverage.table().split('\n')).toEqual([
      '             200  201  202  204  401  404  415  4XX',
      'createThing       ✓                        ✓    ✓',
      'getThing     ·                   ·    ✓',
      'deleteThing            ·    ·         ·',
    ])
  })

  test('lists operations not called, answers not seen, and unused exceptions', () => {
    const coverage = new Coverage(document.operations)
    coverage.record(create!, 201)
    coverage.record(get!, 200)
    coverage.record(get!, 404)
    expect(coverage.gaps([])).toEqual([
      'createThing never answered 4XX',
      'getThing never answered 401',
      'deleteThing was never called',
    ])
    coverage.record(create!, 422)
    coverage.record(remove!, 202)
    coverage.record(remove!, 204)
    coverage.record(remove!, 404)
    const reason = 'for this test'
    expect(coverage.gaps([{ status: '401', reason }])).toEqual([])
    expect(
      coverage.gaps([
        { status: '401', operation: 'getThing', reason },
        { status: '404', reason },
      ]),
    ).toEqual(['every operation needs no exception for 404'])
  })
})
