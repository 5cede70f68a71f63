import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { checkExamples } from '../../../../tools/documents/examples.ts'
import { lintAsyncApi, lintOpenApi } from '../../../../tools/documents/lint.ts'
import { asyncApi } from '../../src/http/documents/asyncapi.ts'
import { describedTypes, type EventService } from '../../src/http/documents/events/service.ts'
import { eventSchema, schemaIndex } from '../../src/http/documents/jsonSchemas.ts'
import { sampleMembers, sampleSecret } from '../../src/http/shared/sampleRequests.ts'
import { headersOf } from '../support/requestHeaders.ts'
import { documentOf, SERVICES, withName } from './profileDocuments.ts'

const WORKSPACE = { publicId: '0191d2b4-3e6f-7a80-9c15-b2d4f6081a3c', slug: 'acme', name: 'Acme' }

const BUILT = ['content', 'ads']
/** The examples of these are checked with the committed documents. */
const OTHERS = SERVICES.filter(([name]) => !BUILT.includes(name))

function validator(schema: object) {
  const ajv = new Ajv2020({ strict: false })
  ajvFormats.default(ajv)
  const fits = ajv.compile(schema)
  return (value: unknown) => (fits(value) ? [] : fits.errors)
}

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> }
  readonly webhooks: Readonly<Record<string, { readonly post: { readonly operationId: string } }>>
}

describe.each(SERVICES)('the events of %s', (_, service) => {
  const { served } = service
  const eventId = served.ids.event.format(Buffer.alloc(16, 7))

  it('have schemas that match the composed bodies, with and without optional members', () => {
    const optional = Object.entries(served.profile.event.members).filter(([, { required }]) => !required)
    for (const type of describedTypes(service)) {
      const mistakesOf = validator(eventSchema(service, type))
      const all = sampleMembers(served, type.type)
      const few = Object.fromEntries(
        Object.entries(all).filter(([name]) => !optional.some(([other]) => other === name)),
      )
      for (const members of [all, few]) {
        const event = { type: type.type, data: type.example, members }
        const body = served.envelope.prepare(event, WORKSPACE, null)(eventId, 1_790_070_067_315)
        expect(mistakesOf(JSON.parse(body)), `${type.type} ${body}`).toEqual([])
      }
    }
  })

  it('have a schema that test events match', () => {
    const { testEvent } = served
    if (testEvent === null) return
    const type = service.types.find((one) => one.type === testEvent.type)!
    for (const actorId of ['usr_1', null]) {
      const webhookId = served.ids.webhook.format(Buffer.alloc(16, 9))
      const input = { eventId, webhookId, workspace: WORKSPACE, actorId, occurredAt: 1_790_070_067_315 }
      expect(validator(eventSchema(service, type))(JSON.parse(testEvent.compose(input)))).toEqual([])
    }
  })

  it('have headers as documented, with one secret and with many', () => {
    const key = served.secrets.keyOf(sampleSecret(served))
    for (const count of [1, served.secrets.maxSigning]) {
      const headers = headersOf(
        served.requestHeaders({
          eventId,
          deliveryId: served.ids.delivery.format(Buffer.alloc(16, 8)),
          webhookId: served.ids.webhook.format(Buffer.alloc(16, 9)),
          eventType: 'invoice.paid/v-1',
          workspaceSlug: 'acme-2',
          attempt: 12,
          body: '{}',
          timestampSeconds: 1_790_070_071,
          keys: Array.from({ length: count }, () => key),
        }),
      )
      expect(Object.keys(headers)).toEqual(service.headers.map(({ name }) => name))
      for (const { name, schema } of service.headers) {
        const value = schema.type === 'integer' ? Number(headers[name]) : headers[name]
        expect(validator(schema)(value), `${name}: ${value}`).toEqual([])
        // A pattern that matches anything proves nothing.
        if (typeof schema.pattern === 'string') expect(validator(schema)(`${value} `)).not.toEqual([])
      }
    }
  })
})

describe.each(OTHERS)('the document of %s', (_, service) => {
  it('contains examples that match their schemas', async () => {
    const { mistakes, count } = checkExamples((await documentOf(service)) as never)
    expect(mistakes).toEqual([])
    expect(count).toBeGreaterThan(3)
  })

  it('lists the event types, or accepts any well-formed name where the catalog is open', async () => {
    const { components, webhooks } = (await documentOf(service)) as Document
    const types = service.types.filter(({ subscribable }) => subscribable).map(({ type }) => type)
    const isOpen = service.anyType !== null
    const { enum: listed, pattern, examples } = components.schemas.EventType!
    expect(isOpen ? [undefined, true] : [types, false]).toEqual([listed, pattern !== undefined])
    if (isOpen) expect(examples).toEqual(expect.arrayContaining([...types]))
    const keys = describedTypes(service).map(({ key }) => key)
    expect(Object.keys(webhooks).sort()).toEqual(keys.sort())
    const names = Object.values(webhooks).map(({ post }) => post.operationId)
    expect(names).toHaveLength(new Set(names).size)
    for (const name of names) expect(name).toMatch(/^on[A-Z][A-Za-z0-9]*$/)
  })
})

it('an event of an open catalog matches only one alternative, whether its type is listed or not', async () => {
  const service = SERVICES.find(([name]) => name === 'full')![1]
  const ajv = new Ajv2020({ strict: false })
  ajvFormats.default(ajv)
  ajv.addSchema(await documentOf(service), 'document:')
  const fits = ajv.compile({ $ref: 'document:#/components/schemas/FactToPublish' })
  const event = (type: string, kind: string) => ({ type, kind, parts: [1], event: {} })
  expect(fits(event('a.b', 'x'))).toBe(true)
  expect(fits(event('a.b', 'y'))).toBe(false)
  expect(fits(event('a.c', 'y'))).toBe(true)
  expect(fits(event('test', 'y'))).toBe(false)
  expect(fits(event('no type', 'y'))).toBe(false)
})

const asyncApiOf = (services: readonly EventService[]) =>
  asyncApi(services, '1', (error) => {
    throw error
  })

describe('the AsyncAPI document of many services', async () => {
  const content = withName('content')
  const services = [content, withName('content', 'second'), ...OTHERS.map(([, service]) => service)]
  const document = (await asyncApiOf(services)) as Document & {
    readonly channels: Readonly<Record<string, { readonly messages: object }>>
    readonly components: { readonly messages: Readonly<Record<string, { readonly name: string }>> }
    readonly operations: object
  }

  it('has a message for each event type of each, under separate names', () => {
    const count = services.reduce((sum, service) => sum + describedTypes(service).length, 0)
    expect(Object.keys(document.components.messages)).toHaveLength(count)
    const ofSecond = Object.keys(document.channels.second!.messages)
    expect(ofSecond).toEqual(Object.keys(document.channels.content!.messages).map((name) => `Second${name}`))
    expect(Object.keys(document.operations)).toHaveLength(services.length)
  })

  it('contains matching examples', async () => {
    const others = await asyncApiOf(services.slice(2))
    expect(checkExamples(others as never).mistakes).toEqual([])
  })

  it('is valid', async () => {
    expect(await lintAsyncApi(JSON.stringify(await asyncApiOf(services.slice(2))))).toEqual([])
  })
})

it('documents of services with unusual profiles are valid', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'posthorn-documents-'))
  try {
    const files = []
    for (const [name, service] of OTHERS) {
      const file = path.join(directory, `${name}.openapi.json`)
      writeFileSync(file, JSON.stringify(await documentOf(service)))
      files.push(file)
    }
    expect(lintOpenApi(files)).toBe('')
  } finally {
    rmSync(directory, { recursive: true })
  }
})

it('schemas have paths of one segment, whatever the types are called', () => {
  const billing = SERVICES.find(([name]) => name === 'billing')![1]
  const [first] = schemaIndex([billing]).billing as readonly { readonly schema: string }[]
  expect(first!.schema).toBe('/schemas/billing/invoice%2FPaid-2.json')
})
