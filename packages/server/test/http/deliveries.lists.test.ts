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
    for (const status of [200, 500, null, 204]) {
      service.receiver.answer((response) =>
        status === null ? response.destroy() : response.writeHead(status).end(),
      )
      for (const of of [type, otherType]) await publishOne(of, 2)
    }
    await sendAgain()
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

  /** Redelivers a failed one, which gets another answer: the latest counts. */
  async function sendAgain() {
    service.receiver.answer((response) => response.writeHead(503).end())
    const status = name === 'content' ? 'failed' : 'dead'
    const [one] = await client.deliveries(webhooks[0]!, `status=${status}&${client.words.codeQuery}=500`)
    expect((await client.post(client.againPath(webhooks[0]!, one.id))).status).toBe(202)
    await service.recorded(1)
  }

  /** Two deliveries are pending while the receiver does not answer. */
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

  const shown = (delivery: Json): Shown => {
    const latest = delivery.attempts.at(-1)
    const { webhookQuery, typeQuery, eventQuery, codeQuery } = client.words
    return {
      id: delivery.id,
      webhook: delivery[webhookQuery],
      type: delivery[typeQuery],
      status: delivery.status,
      event: delivery[eventQuery],
      code: latest?.[codeQuery],
      createdAt: delivery.created_at ?? delivery.createdAt,
    }
  }

  async function listAll(): Promise<Shown[]> {
    const lists = await Promise.all(
      webhooks.map(async (id) => (await client.deliveries(id, 'limit=100')).map(shown)),
    )
    return lists.flat()
  }

  const listPath = (webhook: string | null) =>
    name === 'content' && webhook !== null ? `/webhooks/${webhook}/deliveries?` : allPath(webhook)

  /** Of the list of the workspace. */
  const allPath = (webhook: string | null) => {
    const { logPath, webhookQuery } = client.words
    return `${logPath}?${webhook === null ? '' : `${webhookQuery}=${webhook}&`}`
  }

  async function list(webhook: string | null, query: string) {
    const { status, json } = await client.get(listPath(webhook) + query)
    expect([query, status]).toEqual([query, 200])
    return {
      rows: json.data.map(shown) as Shown[],
      cursor: json[client.words.nextCursor] as string | null,
    }
  }

  it('has every status of the service', () => {
    const seen = new Set(all.map(({ status }) => status))
    // In ads a delivery is canceled only with its endpoint, and then the log is gone.
    expect([...seen].sort()).toEqual(
      STATUSES[name].filter((status) => name === 'content' || status !== 'canceled').sort(),
    )
  })

  it('can be filtered by everything at once, with the matches of the whole log', async () => {
    const { type, otherType, idleType } = client.words
    const times = [...new Set(all.map(({ createdAt }) => createdAt))].sort()
    const at = (i: number) => times[i]!
    const filters = filtersOf({
      webhooks: [null, ...webhooks],
      statuses: [null, ...STATUSES[name]],
      types: [null, type, otherType, idleType],
      codes: [null, '200', '2xx', '5xx', '503', '404', 'none'],
      events: [null, all[0]!.event, all.at(-1)!.event],
      spans: [
        [null, null],
        [at(2), null],
        [at(1), at(6)],
        [at(3), at(4)],
      ],
    })
    let found = 0
    for (const filter of filters) {
      const query = queryOf(filter, client.words)
      const { rows, cursor } = await list(filter.webhook, query)
      expect([query, rows.map(({ id }) => id).sort(), cursor]).toEqual([query, expectedOf(all, filter), null])
      const created = rows.map(({ createdAt }) => createdAt)
      expect(created).toEqual([...created].sort().reverse())
      found += rows.length
    }
    expect(found).toBeGreaterThan(100)
  }, 60_000)

  it('separates the webhooks of a workspace by a filter as by their own lists', async () => {
    for (const webhook of webhooks) {
      const { rows } = await list(webhook, 'limit=100')
      const { json } = await client.get(`${allPath(webhook)}limit=100`)
      expect(json.data.map(shown)).toEqual(rows)
    }
  })

  it('has no deliveries of an unknown event, whatever its id looks like', async () => {
    const other = await openClient(service, name)
    await other.receivingWebhook()
    service.receiver.answer(thanks)
    const foreign = await other.publish()
    await service.recorded(1)
    const own = name === 'content' ? 'evt_unknown' : randomUUID()
    for (const event of [foreign, own, 'nonsense', '', 'evt_%00']) {
      const { rows, cursor } = await list(null, `${client.words.eventQuery}=${event}`)
      expect([event, rows, cursor]).toEqual([event, [], null])
    }
  })

  it("finds the deliveries of an event by its publisher's id", async () => {
    const id = name === 'content' ? 'evt_of-my-own' : randomUUID()
    service.receiver.answer(thanks)
    const publishing = await openClient(service, name)
    const { id: webhook } = await publishing.receivingWebhook()
    await publishing.publish(undefined, { id })
    await publishing.publish()
    await service.recorded(2)
    const [found, ...more] = await publishing.deliveries(webhook, `${client.words.eventQuery}=${id}`)
    expect([found[client.words.eventQuery], more]).toEqual([id, []])
  })

  it.each(['', 'status=delivered', 'type', 'type&status=delivered'])(
    'is paged under "%s" without repeated or missing rows, while more arrive',
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
    [name === 'content' ? 'status_code' : 'statusCode', 'all'],
    [name === 'content' ? 'status_code' : 'statusCode', '1xx'],
    [name === 'content' ? 'status_code' : 'statusCode', '20'],
    [name === 'content' ? 'status_code' : 'statusCode', '099'],
    [name === 'content' ? 'status_code' : 'statusCode', '200\n'],
    [name === 'content' ? 'status_code' : 'statusCode', ''],
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

  it('rejects a span that ends before it begins, and reads any zone', async () => {
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

  it('accepts a cursor of no other list', async () => {
    const other = await openClient(service, name)
    const { id } = await other.receivingWebhook()
    const { cursor } = await list(webhooks[0]!, 'limit=1')
    expect(cursor).not.toBeNull()
    const elsewhere = [listPath(webhooks[1]!), listPath(null)]
    for (const path of elsewhere) {
      const { status, json } = await client.get(`${path}cursor=${cursor}`)
      expect([status, json.errors[0].pointer]).toEqual([422, '/cursor'])
    }
    const foreign = name === 'content' ? `/webhooks/${id}/deliveries?` : '/webhook-deliveries?'
    expect((await other.get(`${foreign}cursor=${cursor}`)).status).toBe(422)
  })

  it('finds no webhook of another workspace, nor an unknown one', async () => {
    const other = await openClient(service, name)
    const { id } = await other.webhook()
    const unknown = name === 'content' ? 'wh_00000000000000000000000000' : randomUUID()
    for (const webhook of [id, unknown, 'nonsense']) {
      const all = await client.get(allPath(webhook))
      expect([all.status, all.json.errors[0].pointer]).toEqual([422, `/${client.words.webhookQuery}`])
      if (name === 'content') expect((await client.get(listPath(webhook))).status).toBe(404)
    }
  })
})
