import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { adsCatalog, contentCatalog } from '../../src/profiles/builtIn.ts'
import { type Client, type Json, openClient, SERVICES } from './client.ts'
import { thanks } from './content.ts'
import { signedIn } from './people.ts'
import { startTestService, type TestService } from './service.ts'

const CATALOGS = { content: contentCatalog, ads: adsCatalog }

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  service.receiver.answer(thanks)
})
afterAll(() => service.stop())

describe.each(SERVICES)('the console of the %s service', (name) => {
  let client: Client
  let key: string
  beforeEach(async () => {
    client = await openClient(service, name)
    key = (await signedIn(service, client.ws.id, 'viewer')).token
  })

  const root = () => `/console/v1/workspaces/${client.ws.slug}`
  const get = (path: string) => service.call({ method: 'GET', url: root() + path, key })
  const samples = (type: string) => get(`/event-types/${type}/samples`)
  const publishOf = async (type: string) => {
    const id = await client.publish(type)
    await service.settled()
    return id
  }

  describe('event types', () => {
    it('are those of the catalog, grouped', async () => {
      const { status, json } = await get('/event-types')
      expect(status).toBe(200)
      const catalog = [...CATALOGS[name].values()]
      const shown = json.data.map(({ example: _, ...entry }: Json) => entry)
      expect(shown).toEqual(
        catalog.map(({ type, group, title, description, subscribable, schema }) => ({
          type,
          group,
          title,
          description,
          subscribable,
          schema: JSON.parse(JSON.stringify(schema)),
        })),
      )
      const groups: string[] = shown.map(({ group }: Json) => group)
      const runs = groups.filter((group, i) => group !== groups[i - 1])
      expect(new Set(runs).size).toBe(runs.length)
    })

    it('have complete examples, which match their published schemas', async () => {
      const { json } = await get('/event-types')
      for (const { type, example } of json.data) {
        const file = await service.call({ method: 'GET', url: `/schemas/${name}/${type}.json` })
        const ajv = new Ajv2020({ strict: false, allErrors: true })
        ajvFormats.default(ajv)
        const validate = ajv.compile(file.json)
        expect([type, validate(example), validate.errors]).toEqual([type, true, null])
        const workspace = name === 'content' ? example.data.workspace.id : example.workspaceId
        expect(workspace).toBe(client.ws.id)
      }
    })
  })

  describe('samples', () => {
    it('are generated until there are real events, then those, newest first', async () => {
      const { type, otherType } = client.words
      const before = (await samples(type)).json
      const { json: types } = await get('/event-types')
      const { example } = types.data.find((entry: Json) => entry.type === type)
      const time = name === 'content' ? 'timestamp' : 'occurredAt'
      expect(before).toEqual({
        made_up: true,
        data: [{ id: null, created_at: null, body: { ...example, [time]: expect.any(String) } }],
      })
      const ids: string[] = []
      for (let i = 0; i < 4; i++) ids.push(await publishOf(type))
      await publishOf(otherType)
      const after = (await samples(type)).json
      expect(after.made_up).toBe(false)
      expect(after.data.map(({ id }: Json) => id)).toEqual(ids.reverse().slice(0, 3))
      for (const { id, created_at, body } of after.data) {
        const event = (await client.get(`/events/${id}`)).json
        expect(name === 'content' ? { id, ...body } : body).toEqual(event)
        expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      }
    })

    it('show nothing of other workspaces', async () => {
      const { type } = client.words
      await (await openClient(service, name)).publish(type)
      await service.settled()
      expect((await samples(type)).json.made_up).toBe(true)
    })

    it.each(['no.such.type', 'version', '%00', 'x'.repeat(80), 'constructor'])(
      'do not exist of %s',
      async (type) => {
        const { status, json } = await samples(type)
        expect([status, json.code]).toEqual([404, 'not_found'])
      },
    )
  })

  describe('a check of a URL', () => {
    const check = (body: unknown) => service.call({ method: 'POST', url: `${root()}/url-checks`, key, body })

    it.each([
      ['https://Hooks.Example.com:443/ü', 'https://hooks.example.com/%C3%BC'],
      ['https://hooks.example.com', 'https://hooks.example.com/'],
    ])('accepts %s, in its normalized form', async (url, normalized) => {
      const { status, json } = await check({ url })
      expect([status, json]).toEqual([200, { ok: true, url: normalized }])
      expect((await client.webhook({ url })).json.url).toBe(normalized)
    })

    it.each([
      '',
      'h',
      'https://',
      'https://h',
      'http://hooks.example.com/',
      'https://localhost/',
      'https://192.0.2.1/',
      'https://[::1]/',
      'https://user:secret@hooks.example.com/',
      'https://hooks.example.com/#fragment',
      'https://hooks.example.com:8443x/',
      `https://hooks.example.com/${'a'.repeat(3000)}`,
      `https://hooks.example.com/${'a'.repeat(50_000)}`,
      'javascript:alert(1)',
      'https://hooks.example.com/\u0000',
      'https://hooks.example.com/\ud800',
    ])('rejects %j with the text of the creation', async (url) => {
      const { status, json } = await check({ url })
      expect(status).toBe(200)
      const created = await client.post('/webhooks', client.webhookBody({ url }))
      expect(created.status).toBe(422)
      const [{ message }] = created.json.errors.filter(({ pointer }: Json) => pointer === '/url')
      expect(json).toEqual({ ok: false, reason: message })
    })

    it.each([{}, { url: 1 }, { url: null }, { url: 'https://hooks.example.com/', more: 1 }, []])(
      'rejects the body %j',
      async (body) => {
        const { status, json } = await check(body)
        expect([status, json.code]).toEqual([422, 'invalid_request'])
      },
    )

    it('is not made for a text that is too long', async () => {
      expect((await check({ url: 'x'.repeat(70_000) })).status).toBe(413)
    })
  })
})
