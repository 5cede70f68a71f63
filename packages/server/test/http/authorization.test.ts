import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  expectedOn,
  freshBody,
  type GuardedRoute,
  OF_OTHER_SERVICES,
  PUBLIC_FOLDER,
  ROUTES,
  SIGN_IN_ROUTES,
} from './authorization.rules.ts'
import { CALLERS, type CallerName, type Callers, gatherCallers } from './callers.ts'
import { type Client, openClient } from './client.ts'
import { addMember, addMemberWith, addOperator, newAddress } from './people.ts'
import { billing } from './profiles.ts'
import { type Call, startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  // Deliveries end failed or dead, so that either service can send them again.
  service.receiver.answer((response) => response.writeHead(503).end())
})
afterAll(() => service.stop())

/** Same name in all worlds. */
const CONSUMER = 'zq-consumer'

/** A workspace with every resource that a path can name, and all kinds of callers. */
interface World extends Callers {
  readonly client: Client
  /** Ids by kind. */
  things: Readonly<Record<Exclude<GuardedRoute['id'], null> | 'did', string>>
}

async function makeWorld({ service: name, id, route }: GuardedRoute): Promise<World> {
  const client = await openClient(service, name)
  const callers = await gatherCallers(service, name, client.ws)
  const type = client.words.otherType
  const webhook = await client.receivingWebhook({ [client.words.types]: [type] })
  const event = await client.publish(type)
  await service.recorded(1)
  const [{ id: delivery }] = await client.deliveries(webhook.id)
  const replay = name === 'ads' ? (await client.post('/webhook-deliveries/replay', {})).json.id : ''
  const { json: recovery } = await client.post(`/webhooks/${webhook.id}/recover`, {
    since: '2001-01-01T00:00:00Z',
    until: '2001-01-02T00:00:00Z',
  })
  // It uses one of the few manual sends, which other routes need.
  if (route.startsWith('GET') && route.endsWith('/retry')) await client.post(`/webhooks/${webhook.id}/retry`)
  // The replay sent the dead delivery again.
  if (name === 'ads') await service.recorded(1)
  const operational = { url: service.receiver.url }
  await client.post('/operational-webhook', operational)
  // If the key determines the workspace, the other one has its own; nothing is sent there.
  const elsewhere = callers.credentials['a session of another workspace']
  if (typeof elsewhere === 'string' && !route.endsWith('/operational-webhook/test'))
    await client.post('/operational-webhook', operational, { key: elsewhere })
  await service.admin('POST', '/operational-webhook', operational)
  await client.post('/consumers', { name: CONSUMER })
  const member = await addMember(service, client.ws.id, 'viewer')
  const { id: key } = await service.key(client.ws.id)
  const operator = await addOperator(service, newAddress())
  await addMemberWith(service, client.ws.id, 'viewer', 'viewer@example.com')
  // Same name in all worlds; it exists until a route removes it.
  if (id === 'service') await service.admin('POST', '/services', billing({ name: 'zq-held' }))
  // Only a few may be valid at a time.
  const adminToken =
    id === 'adminToken' ? (await service.admin('POST', '/admin-tokens', { name: 'x' })).json.id : ''
  return {
    ...callers,
    client,
    things: {
      webhook: webhook.id,
      event,
      delivery,
      did: delivery,
      replay,
      recovery: recovery.id,
      member,
      key,
      operator,
      adminToken,
      service: 'zq-held',
      consumer: CONSUMER,
    },
  }
}

const PUBLIC_PATHS: Readonly<Record<string, string>> = {
  '/openapi/:document': '/openapi/ads.json',
  '/schemas/:file': '/schemas/index.json',
  '/schemas/:dialect/:file': '/schemas/content/plan.ready.json',
  '/receive/:file': '/receive/ads.json',
  '/receive/:dialect/:file': '/receive/ads/go.md',
}

function callOf(asked: GuardedRoute, { client, things }: World): Call {
  const { route, id, query = '' } = asked
  const [method, pattern] = route.split(' ') as [Call['method'], string]
  const path = (PUBLIC_PATHS[pattern] ?? pattern)
    .replace(':ws', client.ws.slug)
    .replace(':did', things.did)
    .replace(':rid', things.recovery)
    .replace(':type', client.words.type)
    .replace(':name', things.consumer)
    .replace(':id', id === null ? ':id' : things[id])
  return { method, url: path + query, body: freshBody(asked) }
}

async function ask(asked: GuardedRoute, world: World, caller: CallerName): Promise<string> {
  const shown = world.credentials[caller]
  const call = { ...callOf(asked, world), ...(typeof shown === 'string' ? { key: shown } : shown) }
  const { status, json, text } = await service.call(call)
  if (call.method === 'GET') {
    const head = await service.call({ ...call, method: 'HEAD' })
    expect([caller, head.status, head.text]).toEqual([caller, status, ''])
  }
  if (caller.endsWith('of another workspace')) {
    for (const id of Object.values(world.things)) if (id !== '') expect(text).not.toContain(id)
  }
  return status === asked.ok ? 'ok' : `${status} ${json?.code}`
}

/** Calls as an authorized caller, who may use up the resource. */
async function askAsFriend(asked: GuardedRoute, shared: World, caller: CallerName): Promise<string> {
  const { route, rule, id, ok } = asked
  // The limit of manual sends allows no more callers in one workspace.
  const ofItsOwn = rule === 'assist' && caller === 'an operator in a browser'
  const world =
    ofItsOwn || (rule === 'operator' && !route.startsWith('GET')) ? await makeWorld(asked) : shared
  if (rule === 'change' && route.startsWith('DELETE')) {
    const { id: webhook } = await world.client.webhook()
    // It may have been deleted; then there is room for another one.
    for (const key of [world.client.ws.key, world.credentials['a session of another workspace']])
      if (typeof key === 'string')
        await world.client.post('/operational-webhook', { url: service.receiver.url }, { key })
    world.things = { ...world.things, webhook }
  }
  // It may have been deleted.
  if (id === 'consumer') await world.client.post('/consumers', { name: CONSUMER })
  const answer = await ask(asked, world, caller)
  const sends =
    answer === 'ok' &&
    (((rule === 'send' || rule === 'assist') && ok === 202 && id !== null) ||
      route.includes('/operational-webhook/test'))
  if (sends) await service.recorded(1)
  return answer
}

/** Everything in the workspace that a call could have changed. */
async function stateOf({ client, things }: World): Promise<unknown[]> {
  await service.settled()
  const answers = await Promise.all([
    service.admin('GET', `/audit-log?limit=100&workspace=${client.ws.id}`),
    client.get('/webhooks'),
    client.get('/events'),
    client.get('/consumers'),
  ])
  return [...answers.map(({ json }) => json.data), await client.deliveries(things.webhook)]
}

describe('the rules', () => {
  it('cover exactly the registered routes', () => {
    const registered = service.routes.filter((route) => !PUBLIC_FOLDER.test(route))
    const known = [...ROUTES, ...SIGN_IN_ROUTES].map(({ route }) => route)
    expect([...known, ...OF_OTHER_SERVICES].sort()).toEqual(registered.sort())
  })

  it.each(OF_OTHER_SERVICES)('find nothing at %s, which neither service has', async (route) => {
    const [method, pattern] = route.split(' ') as [Call['method'], string]
    const client = await openClient(service, pattern.startsWith('/api/') ? 'ads' : 'content')
    const url = pattern.replace(':ws', client.ws.id).replace(/:\w+/g, 'x')
    const key = client.ws.key
    expect(await service.call({ method, url, key })).toMatchObject({
      status: 404,
      json: { code: 'route_not_found' },
    })
    expect((await service.call({ method, url })).status).toBe(401)
  })

  it('leave only probes, documents and public keys public', () => {
    const open = ROUTES.filter(({ rule }) => rule === 'public').map(({ route }) => route)
    const guarded = ROUTES.filter(({ rule }) => rule !== 'public').map(({ route }) => route)
    expect(guarded.every((route) => /^\w+ \/(v1|api\/v1|admin\/v1|console\/v1)\//.test(route))).toBe(true)
    expect(
      open.every((route) =>
        /^GET \/(healthz|readyz|metrics|openapi|asyncapi|schemas|receive|\.well-known\/webhook-keys)/.test(
          route,
        ),
      ),
    ).toBe(true)
  })
})

describe.each(ROUTES)('$route', (asked) => {
  it('answer every caller by its rule, and rejected calls change nothing', async () => {
    const world = await makeWorld(asked)
    const expected = expectedOn(asked)
    const isAllowed = (caller: CallerName) =>
      expected[caller] === 'ok' && !caller.endsWith('of another workspace')
    const answers: Record<string, string> = {}
    const before = await stateOf(world)
    for (const caller of CALLERS) if (!isAllowed(caller)) answers[caller] = await ask(asked, world, caller)
    expect(await stateOf(world)).toEqual(before)
    for (const caller of CALLERS)
      if (isAllowed(caller)) answers[caller] = await askAsFriend(asked, world, caller)
    expect(answers).toEqual(expected)
  })
})
