import { afterAll, beforeAll, expect, it } from 'vitest'
import { contentProfile } from '../../src/profiles/builtIn.ts'
import { serviceOf } from '../../src/profiles/compile.ts'
import { openClient } from './client.ts'
import { signedIn } from './people.ts'
import { documentOf, ProfileClient } from './profiles.ts'
import { startTestService, type TestService } from './service.ts'

const open = serviceOf({ ...contentProfile, catalog: { ...contentProfile.catalog, open: true } }, {})

let service: TestService
let samples: (type: string) => ReturnType<TestService['call']>
beforeAll(async () => {
  service = await startTestService(({ dialects }) => ({
    dialects: new Map([...dialects, ['content', open]]),
  }))
  const { ws } = await openClient(service, 'content')
  const { token: key } = await signedIn(service, ws.id, 'viewer')
  samples = (type) =>
    service.call({ method: 'GET', url: `/console/v1/workspaces/${ws.slug}/event-types/${type}/samples`, key })
})
afterAll(() => service.stop())

it('lists published types in addition to those of the catalog', async () => {
  const standard = await ProfileClient.open(service, documentOf('standard'))
  const { token: key } = await signedIn(service, standard.ws.id, 'viewer')
  for (const type of ['invoice.paid', 'app/installed']) await standard.publish({ type })
  const types = async () => {
    const url = `/console/v1/workspaces/${standard.ws.id}/event-types`
    const { json } = await service.call({ method: 'GET', url, key })
    return json.data.map((entry: { type: string }) => entry.type)
  }
  await expect.poll(types, { timeout: 10_000 }).toEqual(['webhook.test', 'app/installed', 'invoice.paid'])
})

it('shows samples of event types that are not listed', async () => {
  const { status, json } = await samples('invoice.paid')
  expect(status).toBe(200)
  expect(json).toMatchObject({ made_up: true, data: [{ id: null, body: { type: 'invoice.paid' } }] })
})

it.each(['%00', 'invoice%20paid', 'x'.repeat(129)])('has no event type %s', async (type) => {
  expect((await samples(type)).status).toBe(404)
})
