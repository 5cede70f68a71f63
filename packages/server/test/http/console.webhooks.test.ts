import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Client, type Json, openClient, SERVICES } from './client.ts'
import { publishAndWait, webhooksInConsole } from './consoleWebhooks.ts'
import { thanks } from './content.ts'
import { addMember, signIn } from './people.ts'
import { startTestService, type TestService } from './service.ts'

const HOUR_MS = 3_600_000
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())
beforeEach(() => service.receiver.answer(thanks))

const consoleOf = (client: Client) => webhooksInConsole(service, client)
const idsOf = (summaries: Json[]) => summaries.map(({ webhook_id }) => webhook_id)
const fails = () => service.receiver.answer((response) => void response.writeHead(503).end())

const publishAndRecord = (client: Client, count?: number, type?: string) =>
  publishAndWait(service, client, { count, type })

describe.each(SERVICES)('webhooks of the %s service in the console', (name) => {
  let client: Client
  let view: Awaited<ReturnType<typeof consoleOf>>
  beforeEach(async () => {
    client = await openClient(service, name)
    view = await consoleOf(client)
  })

  it('are summarized newest first, or those requested', async () => {
    expect(await view.summaries()).toEqual([])
    const made = [await client.webhook(), await client.webhook(), await client.webhook()].map(({ id }) => id)
    const foreign = (await (await openClient(service, name)).webhook()).id
    expect(idsOf(await view.summaries())).toEqual([...made].reverse())
    const [one, , three] = made
    expect(idsOf(await view.summaries(`?ids=${one},${three},${one}`))).toEqual([three, one])
    expect(idsOf(await view.summaries(`?ids=${foreign},nonsense,,${one!.toUpperCase()}`))).toEqual(
      name === 'ads' ? [one] : [],
    )
    expect(await view.summaries('?ids=')).toEqual([])
    const many = (count: number) => `?ids=${Array.from({ length: count }, () => one).join()}`
    expect(idsOf(await view.summaries(many(100)))).toEqual([one])
    const { status, json } = await view.get(`/webhook-summaries${many(101)}`)
    expect([status, json.errors[0].pointer]).toEqual([422, '/ids'])
  })

  it('show nothing before the first delivery', async () => {
    const { id } = await client.webhook()
    const summary = await view.summary({ id })
    const { webhook_id, last_delivery, last_24h, pending } = summary
    expect({ webhook_id, last_delivery, pending }).toEqual({
      webhook_id: id,
      last_delivery: null,
      pending: 0,
    })
    expect(last_24h).toMatchObject({ succeeded: 0, failed: 0 })
    expect(await view.summaries()).toEqual([{ webhook_id, last_delivery, last_24h, pending }])
    expect(summary).toMatchObject({ off_at: null, missed: null })
  })

  it('show the newest delivery as the log does, and the attempts of the last day by the hour', async () => {
    const webhook = await client.receivingWebhook()
    await publishAndRecord(client, 2)
    fails()
    await publishAndRecord(client)
    const seen = async () => {
      const summary = await view.summary(webhook)
      const [newest] = await client.deliveries(webhook.id)
      expect(summary.last_delivery).toMatchObject({ id: newest.id, status: newest.status })
      return summary
    }
    const { last_delivery, last_24h, pending } = await seen()
    expect(last_delivery).toMatchObject({ status_code: 503, error_code: 'http_status', at: TIME })
    expect(pending).toBe(0)
    expect(last_24h).toMatchObject({ succeeded: 2, failed: 1 })
    const hours: Json[] = last_24h.hours
    expect(hours).toHaveLength(24)
    const starts = hours.map(({ at }) => Date.parse(at))
    for (const [i, start] of starts.entries()) expect(start).toBe(starts[0]! + i * HOUR_MS)
    expect(starts.at(-1)! + HOUR_MS).toBeGreaterThan(service.clock.now() - 60_000)
    const sum = (member: string) => hours.reduce((total, hour) => total + hour[member], 0)
    expect([sum('succeeded'), sum('failed')]).toEqual([2, 1])
    service.receiver.answer(thanks)
    await publishAndRecord(client)
    expect((await seen()).last_delivery).toMatchObject({
      status: 'delivered',
      status_code: 200,
      error_code: null,
    })
  })

  it('show pending deliveries', async () => {
    const held: (() => void)[] = []
    const arrived = new Promise<void>((resolve) => {
      service.receiver.answer((response) => {
        held.push(() => thanks(response))
        resolve()
      })
    })
    const webhook = await client.receivingWebhook()
    const idle = await client.webhook()
    const ids = [await client.publish(), await client.publish()]
    const [ofIdle, ofWebhook] = await view.summaries()
    expect([idsOf([ofIdle, ofWebhook]), ofIdle.pending, ofWebhook.pending]).toEqual([
      [idle.id, webhook.id],
      0,
      ids.length,
    ])
    expect(ofWebhook.last_delivery).toMatchObject({ status: 'pending', status_code: null, error_code: null })
    service.receiver.answer(thanks)
    await arrived
    for (const answer of held) answer()
    await service.recorded(ids.length)
    expect((await view.summary(webhook)).pending).toBe(0)
  })

  it('show their creator', async () => {
    const { id: byKey } = await client.webhook()
    const keyName = (await service.admin('GET', `/workspaces/${client.ws.id}/keys/${client.ws.keyId}`)).json
      .name
    expect((await view.summary({ id: byKey })).created_by).toEqual({
      type: 'key',
      id: client.ws.keyId,
      name: keyName,
      email: null,
    })
    const memberId = await addMember(service, client.ws.id, 'owner')
    const person = (await service.admin('GET', `/workspaces/${client.ws.id}/members/${memberId}`)).json
    const theirs = await service.key(client.ws.id, {
      member_id: memberId,
      name: 'theirs',
      scopes: name === 'content' ? ['webhooks', 'generations:read'] : ['webhooks'],
    })
    const byTheirKey = await client.webhook({}, { key: theirs.key })
    expect((await view.summary(byTheirKey)).created_by).toEqual({
      type: 'key',
      id: theirs.id,
      name: 'theirs',
      email: person.email,
    })
    const { token } = await signIn(service, client.ws.id, memberId)
    const byMember = await client.webhook({}, { key: token })
    const created_by = { type: 'member', id: memberId, name: person.name, email: person.email }
    expect((await view.summary(byMember)).created_by).toEqual(created_by)
    await service.admin('DELETE', `/workspaces/${client.ws.id}/members/${memberId}`)
    expect((await view.summary(byMember)).created_by).toEqual({ ...created_by, name: null, email: null })
    expect((await view.summary(byTheirKey)).created_by).toMatchObject({ name: 'theirs', email: null })
  })

  it('show since when secrets sign, and never a secret', async () => {
    const webhook = await client.webhook()
    const made = {
      created_at: webhook.json[name === 'content' ? 'created_at' : 'createdAt'],
      expires_at: null,
    }
    expect((await view.summary(webhook)).secrets).toEqual([made])
    const rotated = await client.post(`${webhook.path}/rotate-secret`)
    const summary = await view.summary(webhook)
    const { secrets } = summary
    expect(secrets[0]).toEqual({ created_at: TIME, expires_at: null })
    expect(secrets.slice(1)).toEqual(name === 'content' ? [{ ...made, expires_at: TIME }] : [])
    const shown = JSON.stringify(summary)
    for (const secret of [webhook.secret, rotated.json[client.words.secret]])
      expect(shown).not.toContain(secret)
  })

  it('show missed events while the workspace is suspended', async () => {
    const { type, otherType } = client.words
    const webhook = await client.receivingWebhook()
    await publishAndRecord(client)
    // Another millisecond.
    service.clock.forwardCalendar(1000)
    await service.admin('POST', `/workspaces/${client.ws.id}/suspend`)
    const { suspended_at } = (await service.admin('GET', `/workspaces/${client.ws.id}`)).json
    for (const of of [type, otherType, type]) await client.publish(of)
    await service.settled()
    expect(await view.summary(webhook)).toMatchObject({
      off_at: suspended_at,
      missed: { count: 2, more: false, since: suspended_at },
    })
    await service.admin('POST', `/workspaces/${client.ws.id}/resume`)
    expect(await view.summary(webhook)).toMatchObject({
      off_at: null,
      missed: { count: 2, since: suspended_at, until: TIME },
    })
  })

  it.each(['nonsense', 'wh_00000000000000000000000000', '00000000-0000-7000-8000-000000000000', '%00'])(
    'do not exist by the name of %s',
    async (id) => {
      const { status, json } = await view.get(`/webhooks/${id}/summary`)
      expect([status, json.code]).toEqual([404, 'not_found'])
    },
  )

  it('of other workspaces do not exist', async () => {
    const { id } = await (await openClient(service, name)).webhook()
    expect((await view.get(`/webhooks/${id}/summary`)).status).toBe(404)
    const deleted = await client.webhook()
    await client.call('DELETE', deleted.path)
    expect((await view.get(`/webhooks/${deleted.id}/summary`)).status).toBe(404)
    expect(await view.summaries(`?ids=${id},${deleted.id}`)).toEqual([])
  })
})

describe('the limit on tests and redeliveries', () => {
  it('is shown with the rest of it, and reading uses none', async () => {
    const client = await openClient(service, 'content')
    const view = await consoleOf(client)
    const webhook = await client.receivingWebhook()
    const left = async () => (await view.summary(webhook)).manual_sends
    expect(await left()).toEqual({ limit: 10, remaining: 10, resets_at: null })
    const sent = await client.post(`${webhook.path}/test`)
    expect(sent.status).toBe(202)
    await service.recorded(1)
    const { remaining, resets_at } = await left()
    expect([remaining, TIME.asymmetricMatch(resets_at)]).toEqual([9, true])
    expect(Date.parse(resets_at)).toBeLessThanOrEqual(service.clock.now() + 60_000)
    expect((await left()).remaining).toBe(Number(sent.headers['ratelimit-remaining']))
    service.clock.forwardCalendar(60_001)
    expect(await left()).toEqual({ limit: 10, remaining: 10, resets_at: null })
  })

  it('does not exist in ads', async () => {
    const client = await openClient(service, 'ads')
    const view = await consoleOf(client)
    expect((await view.summary(await client.webhook())).manual_sends).toBeNull()
  })
})
