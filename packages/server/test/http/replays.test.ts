import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Client, type Json, openClient } from './client.ts'
import { thanks } from './content.ts'
import { die, finished, REPLAY, refuse, replay } from './replays.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

let client: Client
beforeEach(async () => {
  client = await openClient(service, 'ads')
  service.receiver.answer(refuse)
})

async function statusesOf(webhookId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { status, attempts } of await client.deliveries(webhookId, 'limit=100')) {
    const name = `${status} after ${attempts.length}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

describe('a bulk replay', () => {
  it('sends every dead delivery again, and shows its progress until it is finished', async () => {
    const { id } = await client.receivingWebhook()
    await die(service, client, 3)
    service.receiver.answer(thanks)
    await client.publish()
    await service.recorded(1)
    const from = service.clock.now()
    const asked = await replay(client)
    expect(asked).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'running',
      total: 3,
      replayed: 0,
      webhookId: null,
      eventType: null,
      from: null,
      to: null,
      createdAt: expect.any(String),
      finishedAt: null,
    })
    const done = await finished(client, asked)
    expect(done).toEqual({ ...asked, status: 'finished', replayed: 3, finishedAt: expect.any(String) })
    expect(Date.parse(done.createdAt)).toBeGreaterThanOrEqual(from)
    expect(Date.parse(done.finishedAt)).toBeGreaterThanOrEqual(Date.parse(done.createdAt))
    await service.recorded(3)
    expect(await statusesOf(id)).toEqual({ 'delivered after 2': 3, 'delivered after 1': 1 })
    const [{ attempts }] = await client.deliveries(id, `to=${asked.createdAt}`).then((log) => log.slice(-1))
    expect(attempts.map(({ trigger }: Json) => trigger)).toEqual(['schedule', 'replay'])
  })

  it('of more than a thousand continues to the end', async () => {
    const { id } = await client.receivingWebhook()
    await die(service, client, 1100)
    service.receiver.answer(thanks)
    const asked = await replay(client)
    expect(asked.total).toBe(1100)
    expect((await finished(client, asked)).replayed).toBe(1100)
    await service.recorded(1100)
    expect((await client.deliveries(id, 'status=dead')).length).toBe(0)
    expect((await client.post(REPLAY, { dryRun: true })).json).toEqual({ total: 0, hasMore: false })
    // Each once: a delivered one has one more attempt.
    expect(await statusesOf(id)).toEqual({ 'delivered after 2': 100 })
  })

  it('requested twice sends each delivery once', async () => {
    const { id } = await client.receivingWebhook()
    await die(service, client, 20)
    service.receiver.answer(thanks)
    const asked = await Promise.all([replay(client), replay(client)])
    const done = await Promise.all(asked.map((one) => finished(client, one)))
    expect(done[0].replayed + done[1].replayed).toBe(20)
    await service.recorded(20)
    expect(await statusesOf(id)).toEqual({ 'delivered after 2': 20 })
    const third = await finished(client, await replay(client))
    expect([third.total, third.replayed]).toEqual([0, 0])
  })

  it('tries a delivery that dies again once, and leaves it dead', async () => {
    const { id } = await client.receivingWebhook()
    await die(service, client, 5)
    const asked = await replay(client)
    await service.recorded(5)
    expect((await finished(client, asked)).replayed).toBe(5)
    expect(await statusesOf(id)).toEqual({ 'dead after 2': 5 })
    expect((await client.post(REPLAY, { dryRun: true })).json.total).toBe(5)
  })

  it('in a suspended workspace waits until it is resumed', async () => {
    const { id } = await client.receivingWebhook()
    await die(service, client, 2)
    service.receiver.answer(thanks)
    await service.admin('POST', `/workspaces/${client.ws.id}/suspend`)
    const before = service.receiver.requests.length
    const [{ id: dead }] = await client.deliveries(id)
    const alone = await client.post(client.againPath(id, dead))
    expect([alone.status, alone.json.code]).toEqual([409, 'webhook_not_on'])
    expect((await finished(client, await replay(client))).replayed).toBe(2)
    expect(await statusesOf(id)).toEqual({ 'pending after 1': 2 })
    expect(service.receiver.requests.length).toBe(before)
    await service.admin('POST', `/workspaces/${client.ws.id}/resume`)
    await service.recorded(2)
    expect(await statusesOf(id)).toEqual({ 'delivered after 2': 2 })
  })

  it('ignores the dead deliveries of other workspaces and of deleted endpoints', async () => {
    const { path } = await client.receivingWebhook()
    await die(service, client, 1)
    const other = await openClient(service, 'ads')
    const { id: theirs } = await other.receivingWebhook()
    await other.publish()
    await service.recorded(1)
    await client.call('DELETE', path)
    const done = await finished(client, await replay(client))
    expect([done.total, done.replayed]).toEqual([0, 0])
    expect((await other.deliveries(theirs, 'status=dead')).length).toBe(1)
  })
})

it('a replay is found by its id only in its own workspace', async () => {
  const asked = await replay(client)
  const other = await openClient(service, 'ads')
  for (const [by, id] of [
    [other, asked.id],
    [client, randomUUID()],
    [client, 'nonsense'],
    [client, '%00'],
  ] as const) {
    const { status, json } = await by.get(`/webhook-deliveries/replays/${id}`)
    expect([status, json.code]).toEqual([404, 'not_found'])
  }
  expect((await client.get(`/webhook-deliveries/replays/${asked.id.toUpperCase()}`)).json.id).toBe(asked.id)
})
