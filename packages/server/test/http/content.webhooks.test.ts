import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { thanks, withWebhook } from './content.ts'
import { TARGET } from './events.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  service.receiver.answer(thanks)
})
afterAll(() => service.stop())

describe('webhooks of the content service', () => {
  it('are shown with exactly the documented members, the secret only at creation', async () => {
    const { ws, webhook, get, base } = await withWebhook(service, TARGET, { description: 'ours' })
    expect(webhook).toEqual({
      id: expect.stringMatching(/^wh_[0-9a-z]{26}$/),
      url: TARGET,
      events: ['version.approved'],
      description: 'ours',
      max_per_second: null,
      max_in_flight: null,
      warn: null,
      snoozed_until: null,
      alerted_at: null,
      enabled: true,
      status: 'on',
      off_reason: null,
      failing_since: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: webhook.created_at,
      created_by: { type: 'key', id: ws.keyId },
      signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      secret_omitted: null,
    })
    const { signing_secret: _, secret_omitted: __, ...shown } = webhook
    expect((await get('')).json).toEqual({ ...shown, backlog: null })
    const list = await service.call({ method: 'GET', url: `${base}/webhooks`, key: ws.key })
    expect(list.json).toEqual({ data: [shown], next_cursor: null })
  })

  it('are found by the slug and by the id of the workspace', async () => {
    const { ws, webhook } = await withWebhook(service)
    const url = `/v1/workspaces/${ws.id}/webhooks/${webhook.id}`
    expect((await service.call({ method: 'GET', url, key: ws.key })).json.id).toBe(webhook.id)
  })

  it('are at most 20 in a workspace', async () => {
    const { ws, base } = await withWebhook(service)
    const body = { url: TARGET, events: ['plan.ready'] }
    for (let i = 1; i < 20; i++) {
      const made = await service.call({ method: 'POST', url: `${base}/webhooks`, key: ws.key, body })
      expect(made.status).toBe(201)
    }
    const { status, json } = await service.call({
      method: 'POST',
      url: `${base}/webhooks`,
      key: ws.key,
      body,
    })
    expect([status, json.code]).toEqual([409, 'webhook_limit_reached'])
  })

  it('are listed in pages, newest first, undisturbed by new ones', async () => {
    const { ws, base, webhook: oldest } = await withWebhook(service)
    const create = async () =>
      service.call({
        method: 'POST',
        url: `${base}/webhooks`,
        key: ws.key,
        body: { url: TARGET, events: ['plan.ready'] },
      })
    const ids = [oldest.id]
    for (let i = 0; i < 4; i++) ids.unshift((await create()).json.id)
    const list = (query: string) =>
      service.call({ method: 'GET', url: `${base}/webhooks?limit=2${query}`, key: ws.key })
    const first = (await list('')).json
    await create()
    const second = (await list(`&cursor=${first.next_cursor}`)).json
    const third = (await list(`&cursor=${second.next_cursor}`)).json
    const seen = [...first.data, ...second.data, ...third.data].map(({ id }) => id)
    expect(seen).toEqual(ids)
    expect(third.next_cursor).toBeNull()
  })

  it('change only in the sent members', async () => {
    const { webhook, patch, get } = await withWebhook(service)
    const { status, json } = await patch({ url: 'https://other.example.com', events: ['plan.saved'] })
    expect(status).toBe(200)
    const expected = { ...webhook, url: 'https://other.example.com/', events: ['plan.saved'] }
    delete expected.signing_secret
    delete expected.secret_omitted
    expect({ ...json, updated_at: webhook.updated_at }).toEqual(expected)
    expect((await get('')).json).toEqual({ ...json, backlog: null })
  })

  it('are enabled and disabled with enabled', async () => {
    const { patch } = await withWebhook(service)
    const shown = ({ json }: { json: Record<string, unknown> }) => [
      json.enabled,
      json.status,
      json.off_reason,
    ]
    expect(shown(await patch({ enabled: false }))).toEqual([false, 'off', 'manual'])
    expect(shown(await patch({ enabled: true }))).toEqual([true, 'on', null])
    expect(shown(await patch({ paused: true }))).toEqual([true, 'paused', null])
    expect(shown(await patch({ enabled: true }))).toEqual([true, 'paused', null])
    expect(shown(await patch({ paused: false }))).toEqual([true, 'on', null])
    expect(shown(await patch({ enabled: false, paused: false }))).toEqual([false, 'off', 'manual'])
    expect(shown(await patch({ enabled: true, paused: true }))).toEqual([true, 'paused', null])
  })

  it('cannot be paused while disabled, nor disabled and paused at once', async () => {
    const { patch } = await withWebhook(service)
    const both = await patch({ enabled: false, paused: true })
    expect([both.status, both.json.errors[0].pointer]).toEqual([422, '/paused'])
    await patch({ enabled: false })
    for (const paused of [true, false]) {
      const { status, json } = await patch({ paused })
      expect([status, json.code]).toEqual([409, 'webhook_not_on'])
    }
  })

  it('stay paused after a suspension when they were paused during it', async () => {
    const { ws, patch, get } = await withWebhook(service)
    await service.admin('POST', `/workspaces/${ws.id}/suspend`)
    expect((await get('')).json.status).toBe('paused')
    await patch({ paused: true })
    await service.admin('POST', `/workspaces/${ws.id}/resume`)
    expect((await get('')).json.status).toBe('paused')
  })

  it('are gone after DELETE', async () => {
    const { ws, webhookUrl, get } = await withWebhook(service)
    const answer = await service.call({ method: 'DELETE', url: webhookUrl, key: ws.key })
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect((await get('')).status).toBe(404)
    expect((await get('/deliveries')).status).toBe(404)
    expect((await service.call({ method: 'DELETE', url: webhookUrl, key: ws.key })).status).toBe(404)
  })

  it('get another secret with rotate-secret, shown once', async () => {
    const { webhook, post, get } = await withWebhook(service)
    const { status, json } = await post('/rotate-secret')
    expect(status).toBe(200)
    expect(json.signing_secret).toMatch(/^whsec_/)
    expect(json.signing_secret).not.toBe(webhook.signing_secret)
    expect((await get('')).text).not.toContain('whsec_')
  })
})

describe('the creator of a webhook', () => {
  it('is the only one that may change and remove it; any key of the workspace may read and test it', async () => {
    const { ws, webhookUrl, patch } = await withWebhook(service, service.receiver.url)
    const other = await service.key(ws.id)
    const as = (method: 'GET' | 'POST' | 'DELETE', path = '') =>
      service.call({ method, url: webhookUrl + path, key: other.key })
    expect((await as('GET')).status).toBe(200)
    expect((await as('GET', '/deliveries')).status).toBe(200)
    expect((await as('POST', '/test')).status).toBe(202)
    await service.recorded(1)
    for (const refused of [
      await patch({ description: 'mine' }, other.key),
      await as('DELETE'),
      await as('POST', '/rotate-secret'),
    ]) {
      expect([refused.status, refused.json.code]).toEqual([403, 'not_creator'])
    }
  })
})
