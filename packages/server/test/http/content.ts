import type { ServerResponse } from 'node:http'
import { expect } from 'vitest'
import { contentEvent, TARGET } from './events.ts'
import type { TestService, TestWorkspace } from './service.ts'

/** The answer of a content receiver. */
export const thanks = (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'text/plain' }).end('thanks')

/** A workspace of the content service with one webhook, and calls on that webhook. */
export async function withWebhook(service: TestService, url: string = TARGET, body: object = {}) {
  const ws = await service.workspace('content')
  const base = `/v1/workspaces/${ws.slug}`
  const { status, json } = await service.call({
    method: 'POST',
    url: `${base}/webhooks`,
    key: ws.key,
    body: { url, events: ['version.approved'], ...body },
  })
  expect(status).toBe(201)
  const webhookUrl = `${base}/webhooks/${json.id}`
  const get = (path: string) => service.call({ method: 'GET', url: webhookUrl + path, key: ws.key })
  const post = (path: string) => service.call({ method: 'POST', url: webhookUrl + path, key: ws.key })
  const patch = (changes: unknown, key = ws.key) =>
    service.call({ method: 'PATCH', url: webhookUrl, key, body: changes })
  return { ws, base, webhook: json, webhookUrl, get, post, patch }
}

export const publish = (service: TestService, ws: TestWorkspace, body: unknown = contentEvent()) =>
  service.call({ method: 'POST', url: `/v1/workspaces/${ws.slug}/events`, key: ws.key, body })
