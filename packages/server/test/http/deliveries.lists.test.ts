import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, type Json, openClient, SERVICES } from './client.ts'
import { thanks } from './content.ts'
import { expectedOf, filtersOf, queryOf, type Shown } from './deliveries.model.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

const STATUSES = {
  content: ['pending', 'delivered', 'failed', 'canceled'],
  ads: ['pending', 'delivered', 'dead', 'canceled'],
}

describe.each(SERVICES)('the delivery log of the %s service', (name) => {
  let client: Client
  let webhooks: readonly string[]
  /** All of the workspace, newest first. */
  let all: readonly Shown[]
  const hanging: ServerResponse[] = []

  beforeAll(async () => {
    client = await openClient(service, name)
    const { type, otherType, types } = client.words
    const both = { [types]: [type, otherType] }
    webhooks = [(await client.receivingWebhook(both)).id, (await client.receivingWebhook(both)).id]
    for (const status of [200, 500, 200]) {
      service.receiver.answer((response) => response.writeHead(status).end())
      for (const of of [type, otherType]) await publishOne(of, 2)
    }
    await leaveUnanswered(type)
    if (name === 'content')
      await client.call('PATCH', `/webhooks/${webhooks[1]}`, { body: { enabled: false } })
    all = await listAll()
  })
  afterAll(async () => {
    for (const response of hanging) thanks(response)
    await service.recorded(hanging.length)
    service.receiver.answer(thanks)
  })

  async function publishOne(type: string, deliveries: number) {
    await client.publish(type)
    await service.recorded(deliveries)
    service.clock.forwardCalendar(1000)
  }

  /** Two deliveries are pending while the receiver says nothing. */
  async function leaveUnanswered(type: string) {
    const arrived = new Promise<void>((resolve) => {
      service.receiver.answer((response) => {
        if (hanging.push(response) === webhooks.length) resolve()
      })
    })
    await client.publish(type)
    await arrived
    service.receiver.answer(thanks)
  }

  const shown =
    (webhook: string) =>
    (delivery: Json): Shown => ({
      id: delivery.id,
      webhook: delivery.webhookId ?? webhook,
      type: delivery[client.words.typeQuery],
      status: delivery.status,
      createdAt: delivery.created_at ?? delivery.createdAt,
    })

  async function listAll(): Promise<Shown[]> {
    const lists = await Promise.all(
      webhooks.map(async (id) => (await client.deliveries(id, 'limit=100')).map(shown(id))),
    )
    return lists.flat()
  }

  const listPath = (webhook: string | null) =>
    name === 'content'
      ? `/webhooks/${webhook}/deliveries?`
      : `/webhook-deliveries?${webhook === null ? '' : `webhookId=${webhook}&`}`

  async function list(webhook: string | null, query: string) {
    const { status, json } = await client.get(listPath(webhook) + query)
    expect([query, status]).toEqual([query, 200])
    return {
      rows: json.data.map(shown(webhook ?? '')) as Shown[],
      cursor: json[client.words.nextCursor] as string | null,
    }
  }

  it('has every status that the service knows', () => {
    const seen = new Set(all.map(({ status }) => status))
    // Nothing of ads is ever canceled but with its endpoint, and then the log is gone.
    expect([...seen].sort()).toEqual(
      STATUSES[name].filter((status) => name === 'content' || status !== 'canceled').sort(),
    )
  })

  it('is narrowed down by all filters at once, to what the whole log holds of it', async () => {
    const { type, otherType, idleType, typeQuery } = client.words
    const times = [...new Set(all.map(({ createdAt }) => createdAt))].sort()
    const at = (i: number) => times[i]!
    const filters = filtersOf({
      webhooks: name === 'content' ? webhooks : [null, ...webhooks],
      statuses: [null, ...STATUSES[name]],
      types: [null, type, otherType, idleType],
      spans: [
        [null, null],
        [at(2), null],
        [null, at(5)],
        [at(1), at(4)],
        [at(3), at(4)],
      ],
    })
    let found = 0
    for (const filter of filters) {
      const query = queryOf(filter, typeQuery)
      const { rows, cursor } = await list(filter.webhook, query)
      expect([query, rows.map(({ id }) => id).sort(), cursor]).toEqual([query, expectedOf(all, filter), null])
      const created = rows.map(({ createdAt }) => createdAt)
      expect(created).toEqual([...created].sort().reverse())
      found += rows.length
    }
    expect(found).toBeGreaterThan(100)
  })

  it.each(['', 'status=delivered', 'type', 'type&status=delivered'])(
    'goes through pages under "%s" without a row twice or left out, while more arrive',
    async (filter) => {
      const [webhook] = webhooks
      const query = filter.replace('type', `${client.words.typeQuery}=${client.words.type}`)
      const whole = (await list(webhook!, `limit=100&${query}`)).rows
      const deliveries = name === 'content' ? 1 : 2
      const seen: Shown[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const page = await list(webhook!, `limit=2&${query}${cursor === '' ? '' : `&cursor=${cursor}`}`)
        seen.push(...page.rows)
        cursor = page.cursor
        await publishOne(client.words.type, deliveries)
      }
      expect(seen).toEqual(whole)
      expect(whole.length).toBeGreaterThan(1)
    },
  )

  it.each([
    ['status', 'lost'],
    ['status', name === 'content' ? 'dead' : 'failed'],
    ['status', ''],
    [name === 'content' ? 'event_type' : 'eventType', 'no.such.type'],
    ['from', 'yesterday'],
    ['from', '2026-02-30T00:00:00Z'],
    ['to', '1773480413'],
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '1.5'],
    ['cursor', 'nonsense'],
    ['page', '2'],
  ])('refuses %s=%s', async (parameter, value) => {
    const { status, json } = await client.get(
      `${listPath(webhooks[0]!)}${parameter}=${encodeURIComponent(value)}`,
    )
    expect([status, json.code, json.errors[0].pointer]).toEqual([422, 'invalid_request', `/${parameter}`])
  })

  it('refuses a span that ends before it begins, and reads any zone', async () => {
    const [webhook] = webhooks
    for (const [from, to] of [
      ['2026-03-14T10:00:00Z', '2026-03-14T09:00:00Z'],
      ['2026-03-14T10:00:00Z', '2026-03-14T10:00:00Z'],
      ['2026-03-14T10:00:00Z', '2026-03-14T10:30:00+01:00'],
    ]) {
      const query = new URLSearchParams({ from: from!, to: to! })
      const { status, json } = await client.get(listPath(webhook!) + query.toString())
      expect([status, json.errors[0].pointer]).toEqual([422, '/to'])
    }
    const zoned = new URLSearchParams({ from: '2000-01-01T01:00:00+01:00', limit: '100' })
    expect((await list(webhook!, zoned.toString())).rows.length).toBe(
      (await list(webhook!, 'limit=100')).rows.length,
    )
  })

  it('takes a cursor of no other list', async () => {
    const other = await openClient(service, name)
    const { id } = await other.receivingWebhook()
    const { cursor } = await list(webhooks[0]!, 'limit=1')
    expect(cursor).not.toBeNull()
    const elsewhere = [listPath(webhooks[1]!), ...(name === 'ads' ? [listPath(null)] : [])]
    for (const path of elsewhere) {
      const { status, json } = await client.get(`${path}cursor=${cursor}`)
      expect([status, json.errors[0].pointer]).toEqual([422, '/cursor'])
    }
    const foreign = name === 'content' ? `/webhooks/${id}/deliveries?` : '/webhook-deliveries?'
    expect((await other.get(`${foreign}cursor=${cursor}`)).status).toBe(422)
  })

  it('knows no webhook of another workspace, nor one that does not exist', async () => {
    const other = await openClient(service, name)
    const { id } = await other.webhook()
    const unknown = name === 'content' ? 'wh_00000000000000000000000000' : randomUUID()
    for (const webhook of [id, unknown, 'nonsense']) {
      const { status, json } = await client.get(listPath(webhook))
      const expected = name === 'content' ? [404, undefined] : [422, '/webhookId']
      expect([status, json.errors?.[0].pointer]).toEqual(expected)
    }
  })
})
