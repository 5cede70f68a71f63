import { expect } from 'vitest'
import { adsCatalog, contentCatalog } from '../../src/profiles/builtIn.ts'
import { adsEvent, contentEvent, TARGET } from './events.ts'
import type { Answer, Call, TestService, TestWorkspace } from './service.ts'

export const SERVICES = ['content', 'ads'] as const
export type ServiceName = (typeof SERVICES)[number]

/** The two services' names for the same things, and three event types of each. */
const WORDS = {
  content: {
    secret: 'signing_secret',
    types: 'events',
    type: 'version.approved',
    otherType: 'plan.ready',
    idleType: 'comment.created',
    typeQuery: 'event_type',
    codeQuery: 'status_code',
    eventQuery: 'event_id',
    webhookQuery: 'webhook_id',
    logPath: '/deliveries',
    nextCursor: 'next_cursor',
    hasMore: 'has_more',
    requestBody: 'request_body',
  },
  ads: {
    secret: 'signingSecret',
    types: 'types',
    type: 'campaign.created.v1',
    otherType: 'deal.created.v1',
    idleType: 'segment.created.v1',
    typeQuery: 'eventType',
    codeQuery: 'statusCode',
    eventQuery: 'eventId',
    webhookQuery: 'webhookId',
    logPath: '/webhook-deliveries',
    nextCursor: 'nextCursor',
    hasMore: 'hasMore',
    requestBody: 'requestBody',
  },
} as const satisfies Record<ServiceName, object>

export type Json = Answer['json']
type Options = Pick<Call, 'body' | 'headers' | 'key'>

/** A valid event of any type. */
export function eventOf(name: ServiceName, type: string = WORDS[name].type, overrides: object = {}) {
  if (name === 'content') return contentEvent({ type, data: contentCatalog.get(type)!.example, ...overrides })
  const {
    example,
    members: { entityType },
  } = adsCatalog.get(type)!
  return adsEvent({ type, entityType, payload: example, ...overrides })
}

/** A fresh workspace of either service, and calls under its root with its key. */
export async function openClient(service: TestService, name: ServiceName, workspace?: TestWorkspace) {
  const ws = workspace ?? (await service.workspace(name))
  const words = WORDS[name]
  const root = name === 'content' ? `/v1/workspaces/${ws.slug}` : '/api/v1'

  const call = (method: Call['method'], path: string, { key = ws.key, ...rest }: Options = {}) =>
    service.call({ method, url: root + path, key, ...rest })
  const get = (path: string, options?: Options) => call('GET', path, options)
  const post = (path: string, body?: unknown, options?: Options) => call('POST', path, { ...options, body })

  /** A webhook with a public URL: its type is never published, so nothing is sent there. */
  const webhookBody = (body: object = {}) => ({ url: TARGET, [words.types]: [words.idleType], ...body })

  async function webhook(body: object = {}, options?: Options) {
    const { status, json, headers } = await post('/webhooks', webhookBody(body), options)
    expect(status).toBe(201)
    return {
      id: json.id as string,
      path: `/webhooks/${json.id}`,
      secret: json[words.secret] as string,
      etag: headers.etag as string,
      json,
    }
  }

  /** A webhook at the test's receiver. */
  const receivingWebhook = (body: object = {}, options?: Options) =>
    webhook({ url: service.receiver.url, [words.types]: [words.type], ...body }, options)

  /** @returns the event's id */
  async function publish(type?: string, overrides?: object): Promise<string> {
    const { status, json } = await post('/events', eventOf(name, type, overrides))
    expect(status).toBe(202)
    return json.id
  }

  async function publishMany(count: number, type?: string): Promise<void> {
    const events = Array.from({ length: count }, () => eventOf(name, type))
    expect((await post('/events/batch', { events })).status).toBe(202)
  }

  /** The log of a webhook, newest first. */
  async function deliveries(webhookId: string, query = ''): Promise<Json[]> {
    const path =
      name === 'content'
        ? `/webhooks/${webhookId}/deliveries?${query}`
        : `/webhook-deliveries?webhookId=${webhookId}&${query}`
    const { status, json } = await get(path)
    expect(status).toBe(200)
    return json.data
  }

  const deliveryPath = (webhookId: string, id: string) =>
    name === 'content' ? `/webhooks/${webhookId}/deliveries/${id}` : `/webhook-deliveries/${id}`
  /** Repeats a finished delivery: a redelivery or, in ads, a replay of a dead one. */
  const againPath = (webhookId: string, id: string) =>
    `${deliveryPath(webhookId, id)}/${name === 'content' ? 'redeliver' : 'replay'}`

  return {
    name,
    ws,
    words,
    root,
    call,
    get,
    post,
    webhookBody,
    webhook,
    receivingWebhook,
    publish,
    publishMany,
    deliveries,
    deliveryPath,
    againPath,
  }
}

export type Client = Awaited<ReturnType<typeof openClient>>
