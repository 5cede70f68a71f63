import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Client, type Json, openClient, SERVICES } from './client.ts'
import { signedIn } from './people.ts'
import { sendRaw } from './rawRequest.ts'
import { ADMIN_TOKEN, startTestService, type TestService } from './service.ts'

const STEPS = { '1h': [60, 60], '24h': [24, 3600], '7d': [168, 3600], '30d': [120, 21_600] } as const
const HOUR_MS = 3_600_000

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

const answer = (status: number) => (response: ServerResponse) => void response.writeHead(status).end()
const sum = (points: Json[], value: (point: Json) => number) =>
  points.reduce((total: number, point: Json) => total + value(point), 0)

describe.each(SERVICES)('stats of the %s service', (name) => {
  let client: Client
  let key: string
  beforeEach(async () => {
    client = await openClient(service, name)
    key = (await signedIn(service, client.ws.id, 'viewer')).token
  })

  const read = (query = '') =>
    service.call({ method: 'GET', url: `/console/v1/workspaces/${client.ws.slug}/stats${query}`, key })

  /** Two webhooks; three events, the last of which both reject. */
  async function traffic() {
    const [good, bad] = [await client.receivingWebhook(), await client.receivingWebhook()]
    service.receiver.answer(answer(200))
    await client.publish()
    await client.publish()
    await service.recorded(4)
    service.receiver.answer(answer(500))
    await client.publish()
    await service.recorded(2)
    return { good: good!.id, bad: bad!.id }
  }

  it('cover a whole period, also without events', async () => {
    for (const [period, [steps, stepS]] of Object.entries(STEPS)) {
      const { status, json } = await read(`?period=${period}`)
      expect(status).toBe(200)
      expect(json).toMatchObject({
        period,
        step_s: stepS,
        totals: { events: 0, attempts: {}, success_rate: null, response_ms: null, delivery_ms: null },
      })
      expect(json.points).toHaveLength(steps)
      const times = json.points.map(({ at }: Json) => Date.parse(at))
      expect(times).toEqual(
        times.map((_: number, step: number) => Date.parse(json.from) + step * stepS * 1000),
      )
      expect(Date.parse(json.to)).toBeGreaterThanOrEqual(times.at(-1))
      expect(Date.parse(json.to)).toBeLessThan(times.at(-1) + stepS * 1000)
      expect(json.points[0]).toEqual({
        at: json.from,
        events: 0,
        deliveries: { delivered: 0, delivered_first_attempt: 0, failed: 0, canceled: 0 },
        attempts: {},
        response_ms: null,
        delivery_ms: null,
        pending: null,
        oldest_due_s: null,
      })
    }
  })

  it('include new events at once, in every period and of each webhook', async () => {
    const { good, bad } = await traffic()
    for (const period of Object.keys(STEPS)) {
      const { json } = await read(`?period=${period}`)
      expect(json.totals).toMatchObject({
        events: 3,
        deliveries: { delivered: 4, delivered_first_attempt: 4, failed: 2, canceled: 0 },
        attempts: { delivered: 4, http_status: 2 },
        success_rate: 4 / 6,
        attempt_success_rate: 4 / 6,
      })
      expect(sum(json.points, ({ events }) => events)).toBe(3)
      expect(sum(json.points, ({ attempts }) => attempts.delivered ?? 0)).toBe(4)
      for (const times of [json.totals.response_ms, json.totals.delivery_ms]) {
        expect(times.p50).toBeGreaterThan(0)
        expect(times.p95).toBeGreaterThanOrEqual(times.p50)
        expect(times.p99).toBeGreaterThanOrEqual(times.p95)
      }
    }
    for (const id of [good, bad]) {
      const { json } = await read(`?webhook_id=${id}`)
      expect(json.totals).toMatchObject({ events: 3, attempts: { delivered: 2, http_status: 1 } })
    }
  })

  it('are of only one workspace', async () => {
    await traffic()
    const other = await openClient(service, name)
    const token = (await signedIn(service, other.ws.id, 'viewer')).token
    const url = `/console/v1/workspaces/${other.ws.slug}/stats`
    expect((await service.call({ method: 'GET', url, key: token })).json.totals.events).toBe(0)
    const webhook = await other.webhook()
    const { status, json } = await read(`?webhook_id=${webhook.id}`)
    expect([status, json.errors?.[0]?.pointer]).toEqual([422, '/webhook_id'])
    expect((await read('?period=2h')).status).toBe(422)
  })

  it('have their paths of 0.1.0 too', async () => {
    await traffic()
    const console = `/console/v1/workspaces/${client.ws.slug}/figures?period=1h`
    expect((await service.call({ method: 'GET', url: console, key })).json.totals.events).toBe(3)
    const { totals } = (await service.admin('GET', `/figures?workspace=${client.ws.slug}`)).json
    expect(totals.events).toBe(3)
    expect((await service.admin('GET', '/figures')).json.period).toBe('24h')
    expect((await service.admin('GET', '/workspace-figures?period=1h')).json.data).toEqual(expect.any(Array))
    expect((await service.admin('GET', '/workspace-figures/other')).status).toBe(404)
  })

  it('have their paths of 0.1.0 in targets with an origin too', async () => {
    const token = (await signedIn(service, client.ws.id, 'viewer')).token
    for (const [path, credential] of [
      ['/admin/v1/figures?period=1h', ADMIN_TOKEN],
      ['/admin/v1/workspace-figures', ADMIN_TOKEN],
      [`/console/v1/workspaces/${client.ws.slug}/figures`, token],
    ]) {
      const head = [
        `GET http://posthorn.example${path} HTTP/1.1`,
        'Host: posthorn.example',
        `Authorization: Bearer ${credential}`,
        'Connection: close',
      ]
      const answered = await sendRaw(service, `${head.join('\r\n')}\r\n\r\n`)
      expect(answered.head, path).toMatch(/^HTTP\/1\.1 200 /)
    }
  })

  it('are available to the operator for a workspace, a webhook and in total, with the queue', async () => {
    const before = (await service.admin('GET', '/stats?period=1h')).json.totals.events
    const { bad } = await traffic()
    const totals = async (query: string) => (await service.admin('GET', `/stats?${query}`)).json.totals
    expect((await totals('period=1h')).events).toBe(before + 3)
    expect(await totals(`workspace=${client.ws.slug}`)).toMatchObject({ events: 3, success_rate: 4 / 6 })
    expect(await totals(`workspace=${client.ws.id}&webhook_id=${bad}`)).toMatchObject({ events: 3 })
    const refused = async (query: string) => (await service.admin('GET', `/stats?${query}`)).json
    expect((await refused(`webhook_id=${bad}`)).errors[0].pointer).toBe('/workspace')
    expect((await refused('workspace=unknown')).errors[0].pointer).toBe('/workspace')
    const at = Math.floor(service.clock.now() / 60_000) * 60_000 - 120_000
    await service.storage.keepQueueSample({ at, pending: 7, due: 2, oldestDueAt: at - 5000 })
    for (const period of Object.keys(STEPS)) {
      const { points } = (await service.admin('GET', `/stats?period=${period}`)).json
      expect(points.find(({ pending }: Json) => pending === 7)?.oldest_due_s).toBe(5)
    }
  })

  it('count a delivery once, by its final state, however many attempts it made', async () => {
    const { bad } = await traffic()
    service.receiver.answer(answer(200))
    const recovered = await client.post(`/webhooks/${bad}/recover`, {
      since: new Date(service.clock.now() - HOUR_MS).toISOString(),
    })
    expect(recovered.status).toBe(202)
    await service.recorded(1)
    const { json } = await read(`?webhook_id=${bad}`)
    expect(json.totals).toMatchObject({
      deliveries: { delivered: 3, delivered_first_attempt: 2, failed: 0, canceled: 0 },
      success_rate: 1,
      attempts: { delivered: 3, http_status: 1 },
      attempt_success_rate: 3 / 4,
    })
  })

  it('name current failures, to the operator and to the workspace', async () => {
    const overview = async () => {
      service.clock.forward(5_000)
      return (await service.admin('GET', '/overview')).json
    }
    const mine = async () =>
      (await service.call({ method: 'GET', url: `/console/v1/workspaces/${client.ws.id}/overview`, key }))
        .json
    const now = async () =>
      (await service.admin('GET', '/failing-webhooks?now=true&period=1h&limit=100')).json.data
        .filter(({ workspace }: Json) => workspace.id === client.ws.id)
        .map(({ webhook_id: id }: Json) => id)
    const before = (await overview()).webhooks
    const { good, bad } = await traffic()
    expect((await overview()).webhooks).toMatchObject({ on: before.on + 2, failing: before.failing + 2 })
    expect(new Set(await now())).toEqual(new Set([good, bad]))
    const current = await mine()
    expect(current.webhooks).toEqual({ on: 2, failing: 2, disabled_last_hour: 0 })
    expect(current.failing[0]).toMatchObject({
      url: service.receiver.url,
      failing_since: expect.any(String),
    })
    expect(current.pending).toEqual({ count: 0, more: false })
    expect(current.oldest_pending).toBeNull()
    service.receiver.answer(answer(200))
    await client.publish()
    await service.recorded(2)
    expect((await overview()).webhooks.failing).toBe(before.failing)
    expect(await now()).toEqual([])
    expect((await mine()).failing).toEqual([])
    const { last_hour: hour } = await overview()
    expect(hour.deliveries.delivered).toBeGreaterThanOrEqual(6)
    expect(hour.response_ms.p95).toBeGreaterThanOrEqual(hour.response_ms.p50)
  })

  it('rank the busiest workspaces and the webhooks that fail most', async () => {
    const { bad, good } = await traffic()
    const untilListed = async (path: string, mine: (row: Json) => boolean) => {
      for (;;) {
        while (await service.storage.rollUpStats({ now: service.clock.now() }));
        const { status, json } = await service.admin('GET', `${path}&limit=100`)
        expect(status).toBe(200)
        const rows = json.data.filter(mine)
        if (rows.length > 0) return { rows, all: json.data }
      }
    }
    for (const period of Object.keys(STEPS)) {
      const workspaces = await untilListed(
        `/workspace-stats?period=${period}`,
        ({ workspace }) => workspace.id === client.ws.id,
      )
      expect(workspaces.rows).toEqual([
        {
          workspace: { id: client.ws.id, slug: client.ws.slug, name: expect.any(String), dialect: name },
          events: 3,
          deliveries: { delivered: 4, delivered_first_attempt: 4, failed: 2, canceled: 0 },
          attempts: 6,
          failed: 2,
          success_rate: 4 / 6,
        },
      ])
      const attempts = workspaces.all.map((row: Json) => row.attempts)
      expect(attempts).toEqual(attempts.toSorted((a: number, b: number) => b - a))
      const failing = await untilListed(
        `/failing-webhooks?period=${period}`,
        ({ webhook_id: id }) => id === bad || id === good,
      )
      expect(failing.rows).toHaveLength(2)
      expect(failing.rows[0]).toMatchObject({
        workspace: { slug: client.ws.slug },
        url: service.receiver.url,
        status: 'on',
        failing_since: expect.any(String),
        attempts: 3,
        failed: 1,
        success_rate: 2 / 3,
        last_error: { code: 'http_status', message: expect.stringContaining('500'), at: expect.any(String) },
      })
    }
    expect((await service.admin('GET', '/failing-webhooks?period=1h&limit=1')).json.data).toHaveLength(1)
    service.receiver.answer(answer(200))
    await client.publish()
    await service.recorded(2)
    const since = (await service.admin('GET', '/failing-webhooks?period=1h&limit=100')).json.data
    expect(since.find(({ webhook_id: id }: Json) => id === bad)).toMatchObject({
      failed: 1,
      failing_since: null,
    })
    await client.call('DELETE', `/webhooks/${bad}`)
    const left = (await service.admin('GET', '/failing-webhooks?period=1h&limit=100')).json.data
    expect(left.map((row: Json) => row.webhook_id)).not.toContain(bad)
  })
})

describe('the nodes', () => {
  it('are listed with the answering one, and with the state of the queue', async () => {
    const other = await service.storage.registerNode({ leaseMs: HOUR_MS })
    const { status, json } = await service.admin('GET', '/nodes')
    expect(status).toBe(200)
    const mine = json.data.find(({ id }: Json) => id === service.engine.nodeId)
    expect(mine).toMatchObject({ answering: true, alive: true, started_at: expect.any(String) })
    expect(json.data.find(({ id }: Json) => id === other.nodeId)).toMatchObject({
      answering: false,
      alive: true,
    })
    expect(json.queue).toMatchObject({ pending: expect.any(Number), due: expect.any(Number) })
    await service.storage.retireNode({ nodeId: other.nodeId })
    const after = (await service.admin('GET', '/nodes')).json.data
    expect(after.map(({ id }: Json) => id)).not.toContain(other.nodeId)
  })
})
