import { createReceiver } from '@posthorn/receiver'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adsCatalog, contentCatalog } from '../../src/profiles/builtIn.ts'
import { loadDocuments, type Operation } from './documents.ts'

let loaded: Awaited<ReturnType<typeof loadDocuments>>
beforeAll(async () => {
  loaded = await loadDocuments()
})
afterAll(() => loaded.app.close())

const SERVICES = [
  { name: 'content', catalog: contentCatalog, scheme: 'standard', published: 'EventToPublish', data: 'data' },
  { name: 'ads', catalog: adsCatalog, scheme: 'service', published: 'DomainEventToPublish', data: 'payload' },
] as const

/** The event in a request, by a receiver whose clock shows the time of the request. */
async function verified(
  scheme: 'standard' | 'service',
  secrets: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<object> {
  if (scheme === 'service') return (await createReceiver({ scheme, secrets }).verify(body, headers)).event
  const now = () => Number(headers['webhook-timestamp']) * 1000
  return (await createReceiver({ scheme, secrets, now }).verify(body, headers)).event
}

const bodyOf = ({ requestBody }: Operation) => requestBody!.content['application/json']!
const sentExample = (operation: Operation) => bodyOf(operation).examples!.sample!.value
const nameIn = (ref: string | undefined) => ref!.slice('#/components/schemas/'.length)

describe.each(SERVICES)('the $name document', ({ name, catalog, scheme, published, data }) => {
  const document = () => loaded.documents[name]
  const schemas = () => document().components.schemas

  it('has a webhook for each event type', () => {
    expect(Object.keys(document().webhooks!)).toEqual([...catalog.keys()])
  })

  it('shows requests whose signatures verify with the secret that it shows', async () => {
    const secret = /^# secret: (\S+)$/m.exec(document().info.description)![1]!
    for (const { post } of Object.values(document().webhooks!)) {
      const headers = Object.fromEntries(post.parameters!.map(({ name, example }) => [name, String(example)]))
      const body = JSON.stringify(sentExample(post))
      expect(await verified(scheme, secret, headers, body)).toEqual(JSON.parse(body))
    }
  })

  it('explains signatures on a complete request that verifies unchanged', async () => {
    const { description } = document().info
    const [, secret] = /^# secret: (\S+)$/m.exec(description)!
    const [, head, body] = /POST \/your\/path HTTP\/1\.1\n([\s\S]+?)\n\n(.+)\n```/.exec(description)!
    const headers = Object.fromEntries(head!.split('\n').map((line) => line.split(': ') as [string, string]))
    expect(await verified(scheme, secret!, headers, body!)).toEqual(JSON.parse(body!))
  })

  it("explains the effect of a receiver's answer", () => {
    const gone = name === 'content' ? ['410'] : []
    for (const { post } of Object.values(document().webhooks!)) {
      expect(Object.keys(post.responses)).toEqual([...gone, '2XX', 'default'])
    }
  })

  it('has a separate schema for each event type that can be published, and for no other', () => {
    const members = schemas()[published]!.oneOf!.map(({ $ref }) => schemas()[nameIn($ref)]!)
    const types = [...catalog.values()].filter(({ subscribable }) => subscribable)
    expect(members.map(({ properties }) => properties!.type!.const)).toEqual(types.map(({ type }) => type))
    for (const [index, { properties, required }] of members.entries()) {
      expect(schemas()[nameIn(properties![data]!.$ref)]).toEqual(types[index]!.schema)
      expect(required).toEqual(expect.arrayContaining(['type', data]))
    }
  })

  it('lists the types that a webhook can be created for', () => {
    const types = [...catalog.values()].filter(({ subscribable }) => subscribable).map(({ type }) => type)
    expect(schemas().EventType!.enum).toEqual(types)
    for (const name of [
      'createContentWebhook',
      'updateContentWebhook',
      'createAdsWebhook',
      'updateAdsWebhook',
    ]) {
      const { requestBody } = loaded.operations.find(({ operationId }) => operationId === name)!
      expect(JSON.stringify(requestBody), name).toContain('"#/components/schemas/EventType"')
    }
  })

  it('shows an example of each published type, which matches only that type', () => {
    const ajv = new Ajv2020({ strict: false })
    ajvFormats.default(ajv)
    ajv.addSchema(document(), 'document:')
    const fits = ajv.compile({ $ref: `document:#/components/schemas/${published}` })
    const publish = loaded.operations.find(
      ({ operationId }) => /^publish\w+Event$/.test(operationId) && operationId.toLowerCase().includes(name),
    )!
    const examples = Object.entries(bodyOf(publish).examples!)
    expect(examples.map(([type]) => type)).toEqual(
      [...catalog.values()].filter(({ subscribable }) => subscribable).map(({ type }) => type),
    )
    for (const [type, { value }] of examples) {
      expect(fits(value), type).toBe(true)
      expect(fits({ ...(value as object), type: 'no.such.type' })).toBe(false)
    }
  })

  it('comes with a JSON Schema of each request body, which is self-contained', async () => {
    const index = (await loaded.get('/schemas/index.json')).json()[name]
    expect(index.map(({ type }: { type: string }) => type)).toEqual([...catalog.keys()])
    for (const { type, schema: path } of index) {
      const answer = await loaded.get(path)
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/schema+json'])
      const schema = answer.json()
      const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
      ajvFormats.default(ajv)
      const fits = ajv.compile(schema)
      const example = sentExample(document().webhooks![type]!.post)
      expect(schema.examples).toEqual([example])
      expect(fits(example), type).toBe(true)
      expect(fits({ ...(example as object), type: 'no.such.type' })).toBe(false)
    }
  })
})

it('a content event with an additional member still matches its schema, an ads event does not', async () => {
  const fits = async (path: string, member: string) => {
    const schema = (await loaded.get(path)).json()
    const ajv = new Ajv2020({ strict: false })
    ajvFormats.default(ajv)
    const [example] = schema.examples
    return ajv.validate(schema, { ...example, [member]: { ...example[member], added_later: 1 } })
  }
  expect(await fits('/schemas/content/version.approved.json', 'data')).toBe(true)
  expect(await fits('/schemas/ads/campaign.created.v1.json', 'payload')).toBe(false)
})

it.each([
  '/schemas/content/no.such.json',
  '/schemas/toy/version.approved.json',
  '/schemas/none.json',
  '/openapi/none.json',
])('%s is answered with 404', async (path) => {
  const answer = await loaded.get(path)
  expect([answer.statusCode, answer.json().code]).toEqual([404, 'not_found'])
})
