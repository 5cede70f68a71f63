import fastify from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import { describeService, serviceDocument } from '../../src/http/documents/build.ts'
import { collectOperations } from '../../src/http/documents/collect.ts'
import { fileOf } from '../../src/http/documents/file.ts'
import { documentRoutes } from '../../src/http/documents/index.ts'
import { buildSlice } from '../../src/http/documents/turns.ts'
import { handleErrors } from '../../src/http/shared/errors.ts'
import { contentService } from '../../src/profiles/builtIn.ts'
import { checkProfile } from '../../src/profiles/check.ts'
import { type ServedProfile, serviceOf } from '../../src/profiles/compile.ts'
import type { ProfileDocument } from '../../src/profiles/format.ts'
import { profileOf } from '../../src/profiles/profile.ts'
import { ManualClock } from '../support/manualClock.ts'
import { billing } from './profiles.ts'

/** A service that an operator added. */
const added = (document: ProfileDocument): ServedProfile => serviceOf(profileOf(document), {}, 1)

const BROKEN_MESSAGE = 'broken on purpose'

/** A service whose types cannot be described. */
function broken(name: string) {
  let builds = 0
  const service = added(billing({ name }))
  return {
    service: {
      ...service,
      get catalog(): ServedProfile['catalog'] {
        builds++
        throw new Error(BROKEN_MESSAGE)
      },
    },
    builds: () => builds,
  }
}

/** A service whose requests cannot be composed. */
const withoutRequests = (name: string): ServedProfile => ({
  ...added(billing({ name })),
  requestHeaders() {
    throw new Error(BROKEN_MESSAGE)
  },
})

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Serves the documents of some services, and records the log. */
async function serving(...services: readonly ServedProfile[]) {
  const profiles = new Map(services.map((service) => [service.name, service]))
  const logged: { readonly err?: Error; readonly service?: string }[] = []
  const note = (fields: object) => void logged.push(fields)
  const app = fastify()
  handleErrors(app, { error: note, warn: note, info: note } as never, new ManualClock())
  documentRoutes(app, profiles, () => '', { error: note })
  await app.ready()
  closing.push(() => app.close())
  return { profiles, logged, get: (url: string) => app.inject(url) }
}

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> }
}

describe('titles in schemas of a profile', () => {
  const member = { type: 'string', title: 'Problem' }
  const document = billing({
    event: {
      members: { reason: { schema: member }, who: { schema: { type: 'string', title: 'EventToPublish' } } },
    },
    envelope: {
      members: [
        { path: 'id', field: 'id' },
        { path: 'type', field: 'type' },
        { path: 'at', field: 'time' },
        { path: 'reason', field: 'reason', schema: { ...member, maxLength: 9 } },
        { path: 'data', field: 'data' },
      ],
    },
  })

  it('name no components, so they are shown inline', async () => {
    expect(checkProfile(document).errors).toEqual([])
    const { get } = await serving(added(document))
    const { statusCode, body } = await get('/openapi/billing.json')
    expect(statusCode).toBe(200)
    const { schemas } = (JSON.parse(body) as Document).components
    expect(schemas.Problem).toMatchObject({ type: 'object', title: 'Problem' })
    expect(schemas.EventToPublish!.properties).toMatchObject({ reason: member })
    expect(schemas.Event!.properties).toMatchObject({ reason: { ...member, maxLength: 9 } })
    expect(body).not.toContain('x-posthorn')
    expect((await get('/asyncapi.json')).statusCode).toBe(200)
  })

  it('may equal those of others where words of the profile make them', async () => {
    const problems = billing({ words: { event: 'problem' } })
    expect(checkProfile(problems).errors).toEqual([])
    const { get } = await serving(added(problems))
    const answer = await get('/openapi/billing.json')
    expect(answer.statusCode).toBe(200)
    const { schemas } = answer.json<Document>().components
    expect(['Problem', 'Problem2'].map((name) => [name, schemas[name]!.title])).toEqual([
      ['Problem', 'Problem'],
      ['Problem2', 'Problem2'],
    ])
  })
})

describe('a service whose documents cannot be built', () => {
  it('leaves the documents of others served', async () => {
    const { get } = await serving(contentService(), broken('broken').service, withoutRequests('mute'))
    const statuses = async (...urls: readonly string[]) =>
      Promise.all(urls.map(async (url) => [url, (await get(url)).statusCode]))
    const failing = ['/openapi/broken.json', '/openapi/mute.json', '/schemas/broken/invoice.paid.json']
    const others = [
      '/openapi/content.json',
      '/openapi/admin.json',
      '/openapi/console.json',
      '/schemas/index.json',
    ]
    expect(await statuses(...failing)).toEqual(failing.map((url) => [url, 500]))
    expect(await statuses(...others)).toEqual(others.map((url) => [url, 200]))
    const { channels } = (await get('/asyncapi.json')).json()
    expect(Object.keys(channels)).toEqual(['content'])
  })

  it('is built and logged once, until its profile changes', async () => {
    const { service, builds } = broken('broken')
    const { profiles, logged, get } = await serving(service)
    const url = '/openapi/broken.json'
    const [first, ...others] = await Promise.all([get(url), get(url), get(url)])
    for (const answer of [first!, ...others, await get(url)]) {
      expect(answer.statusCode).toBe(500)
      expect(answer.headers['content-type']).toBe('application/problem+json')
      expect(Object.keys(answer.json())).toEqual(Object.keys(first!.json()))
      expect(answer.json()).toMatchObject({ code: 'internal_error', detail: first!.json().detail })
    }
    expect(builds()).toBe(1)
    expect(logged.map(({ err }) => err?.message)).toEqual([BROKEN_MESSAGE])
    profiles.set('broken', added(billing({ name: 'broken' })))
    expect((await get(url)).statusCode).toBe(200)
  })

  it('is logged when documents of several services leave it out', async () => {
    const { logged, get } = await serving(contentService(), broken('broken').service)
    for (const url of ['/asyncapi.json', '/schemas/index.json', '/asyncapi.json']) await get(url)
    expect(logged).toEqual([{ err: expect.any(Error), service: 'broken' }])
  })
})

it('a document is built again when its own service changes, and not when another does', async () => {
  let described = 0
  const counted = (service: ServedProfile): ServedProfile => ({
    ...service,
    requestHeaders(request) {
      described++
      return service.requestHeaders(request)
    },
  })
  const { profiles, get } = await serving(counted(added(billing())), contentService())
  const first = (await get('/openapi/billing.json')).body
  const built = described
  profiles.set('content', contentService())
  expect((await get('/openapi/billing.json')).body).toBe(first)
  expect(described).toBe(built)
  profiles.set('billing', counted(added(billing({ title: 'Invoices' }))))
  expect((await get('/openapi/billing.json')).body).toContain('Invoices')
  expect(described).toBe(2 * built)
})

it('a build of many types pauses, and requests for it share it', async () => {
  const [type] = billing().catalog!.types!
  const types = Array.from({ length: 300 }, (_, i) => ({ ...type!, type: `invoice.paid${i}` }))
  let samples = 0
  const service = added(billing({ catalog: { types } }))
  const { get } = await serving({
    ...service,
    requestHeaders(request) {
      samples++
      return service.requestHeaders(request)
    },
  })
  let turns = 0
  let done = false
  const count = () => {
    turns++
    if (!done) setImmediate(count)
  }
  setImmediate(count)
  await Promise.all([get('/openapi/billing.json'), get('/openapi/billing.json')])
  done = true
  expect(turns).toBeGreaterThan(10)
  // One for each type and a few in texts: two builds would take twice as many.
  expect(samples).toBeGreaterThanOrEqual(types.length)
  expect(samples).toBeLessThan(types.length + 10)
})

it('references of a small profile do not expand to a huge document', async () => {
  const leaf = { type: 'string', description: 'An amount in the currency of the account.' }
  const many = (name: string) =>
    Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`p${i}`, { $ref: `#/$defs/${name}` }]))
  const schema = {
    type: 'object',
    properties: many('inner'),
    $defs: { inner: { type: 'object', properties: many('leaf') }, leaf },
  }
  const [type] = billing().catalog!.types!
  const types = Array.from({ length: 60 }, (_, i) => ({ ...type!, type: `t${i}`, schema, example: {} }))
  const service = await describeService(added(billing({ catalog: { types } })), buildSlice())
  const copies = JSON.stringify(service.types.map((one) => one.schema)).split(leaf.description).length - 1
  expect(copies).toBeGreaterThan(10_000)
  expect(copies).toBeLessThan(20_000)
})

it('a document is written as JSON with an indent of two, whatever its content', async () => {
  const service = await describeService(contentService(), buildSlice())
  const documents = [
    await serviceDocument(await collectOperations(service.served), service),
    { a: {}, b: { c: undefined, d: [], e: { f: { g: { h: ['\n', { i: 1 }] } } } }, '"': 'x\ny', j: null },
    {},
  ]
  for (const document of documents) {
    const { bytes } = await fileOf('/x.json', document, buildSlice())
    expect(bytes.toString()).toBe(`${JSON.stringify(document, null, 2)}\n`)
  }
})
