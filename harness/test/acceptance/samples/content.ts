import { eventually } from '../../../src/support/waiting.ts'
import { CONTENT_TYPE, contentEvent } from '../../sampleEvents.ts'
import { type Account, unique } from '../accounts.ts'
import { call, done, receiver } from '../world.ts'
import { type ConsumerWords, consumerSamples } from './consumers.ts'
import type { Samples } from './sample.ts'

/** A call with the account's key. */
export const inContent = ({ ws, key }: Account, params: Readonly<Record<string, string>> = {}) => ({
  key,
  params: { ws, ...params },
})

export const contentWebhookJson = (path = `/ok/${unique('hook')}`) => ({
  url: receiver().urlOf(path),
  events: [CONTENT_TYPE],
})

export interface ContentWebhook {
  readonly id: string
  readonly signing_secret: string
}

export const addContentWebhook = (account: Account, path?: string) =>
  done<ContentWebhook>('createContentWebhook', { ...inContent(account), json: contentWebhookJson(path) })

export const publishContent = (account: Account, more?: object) =>
  done<{ id: string }>('publishContentEvent', { ...inContent(account), json: contentEvent(more) })

export interface ContentDelivery {
  readonly id: string
  readonly event_id: string
  readonly status: string
  readonly attempts: readonly {
    readonly number: number
    readonly trigger: string
    readonly status_code: number
  }[]
}

/** Waits for the newest delivery of a webhook to be in one of the statuses. */
export const contentDelivery = (account: Account, id: string, statuses: readonly string[]) =>
  eventually(
    async () => {
      const call = { ...inContent(account, { id }), query: { limit: 1 } }
      const { data } = await done<{ data: ContentDelivery[] }>('listContentDeliveries', call)
      return data[0] !== undefined && statuses.includes(data[0].status) ? data[0] : null
    },
    { withinMs: 10_000, what: `a delivery that is ${statuses.join(' or ')}` },
  )

/** Publishes an event and waits until it is delivered. @returns the parameters of the delivery */
export async function deliverContent(account: Account): Promise<{ id: string; did: string }> {
  const { id } = await addContentWebhook(account)
  await publishContent(account)
  const { id: did } = await contentDelivery(account, id, ['delivered'])
  return { id, did }
}

/**
 * Publishes events to a receiver that asks for an hour. @returns the parameters of the newest delivery, and
 * the path of the receiver
 */
export async function postpone(account: Account, events = 1) {
  const hook = `/later/${unique('hook')}`
  const { id } = await addContentWebhook(account, hook)
  for (let i = 0; i < events; i++) await publishContent(account)
  const call = { ...inContent(account, { id }), query: { limit: 100 } }
  const data = await eventually(
    async () => {
      const { data } = await done<{ data: ContentDelivery[] }>('listContentDeliveries', call)
      return data.length === events && data.every(({ attempts }) => attempts.length === 1) ? data : null
    },
    { withinMs: 10_000, what: 'deliveries that wait for an hour' },
  )
  return { id, did: data[0]!.id, hook }
}

/** Start of a recovery. */
export const SINCE = { since: '2026-01-01T00:00:00Z' }

const recovery = async (account: Account) => {
  const { id } = await addContentWebhook(account)
  const call = { ...inContent(account, { id }), json: SINCE }
  const { id: rid } = await done<{ id: string }>('recoverContentWebhook', call)
  return inContent(account, { id, rid })
}

const onWebhook = async (account: Account) =>
  inContent(account, { id: (await addContentWebhook(account)).id })

const OPERATIONAL = () => ({ url: receiver().urlOf(`/ok/${unique('operational')}`) })

/** For a workspace with an operational webhook, which may exist already. */
const operational = async (account: Account) => {
  await call('createContentOperationalWebhook', { ...inContent(account), json: OPERATIONAL() })
  return inContent(account)
}

export const CONTENT_WORDS: ConsumerWords = {
  title: 'Content',
  as: inContent,
  publish: publishContent,
  types: { event_types: [CONTENT_TYPE] },
}

export const contentSamples: Samples = {
  ...consumerSamples(CONTENT_WORDS),
  publishContentEvent: (account) => ({ ...inContent(account), json: contentEvent() }),
  publishContentEvents: (account) => ({
    ...inContent(account),
    json: { events: [contentEvent(), contentEvent()] },
  }),
  listContentEvents: async (account) => {
    await publishContent(account)
    return {
      ...inContent(account),
      query: { type: CONTENT_TYPE, limit: 5, order: 'newest', from: '2026-01-01T00:00:00Z' },
    }
  },
  getContentEvent: async (account) => inContent(account, { id: (await publishContent(account)).id }),
  createContentWebhook: (account) => ({ ...inContent(account), json: contentWebhookJson() }),
  listContentWebhooks: async (account) => {
    await addContentWebhook(account)
    return { ...inContent(account), query: { limit: 1 } }
  },
  sampleContentEvent: (account) => ({ ...inContent(account), query: { event: CONTENT_TYPE } }),
  getContentWebhook: onWebhook,
  updateContentWebhook: async (account) => ({
    ...(await onWebhook(account)),
    json: { ...contentWebhookJson(), description: 'changed', enabled: true, paused: false },
  }),
  deleteContentWebhook: onWebhook,
  rotateContentWebhookSecret: onWebhook,
  testContentWebhook: onWebhook,
  listContentDeliveries: async (account) => {
    const { id } = await deliverContent(account)
    const query = { status: 'delivered', event_type: CONTENT_TYPE, from: '2026-01-01T00:00:00Z', limit: 5 }
    return { ...inContent(account, { id }), query }
  },
  listAllContentDeliveries: async (account) => {
    const { id: webhook_id } = await deliverContent(account)
    const span = { from: '2026-01-01T00:00:00Z', limit: 5 }
    const query = { webhook_id, status: 'delivered', status_code: '2xx', event_type: CONTENT_TYPE }
    return { ...inContent(account), query: { ...query, ...span } }
  },
  getContentDelivery: async (account) => inContent(account, await deliverContent(account)),
  redeliverContentDelivery: async (account) => inContent(account, await deliverContent(account)),
  retryContentDelivery: async (account) => {
    const { id, did } = await postpone(account)
    return inContent(account, { id, did })
  },
  retryContentWebhook: onWebhook,
  getContentRetry: async (account) => {
    const what = await onWebhook(account)
    await done('retryContentWebhook', what)
    return what
  },
  recoverContentWebhook: async (account) => ({
    ...(await onWebhook(account)),
    json: { ...SINCE, until: '2090-01-01T00:00:00Z', status: ['failed', 'canceled'], types: [CONTENT_TYPE] },
  }),
  getContentRecovery: recovery,
  cancelContentRecovery: recovery,
  listContentAuditLog: async (account) => {
    const { id } = await addContentWebhook(account)
    return { ...inContent(account), query: { target: id } }
  },
  createContentOperationalWebhook: (account) => ({ ...inContent(account), json: OPERATIONAL() }),
  getContentOperationalWebhook: operational,
  updateContentOperationalWebhook: async (account) => ({
    ...(await operational(account)),
    json: { events: ['webhook.failing'] },
  }),
  deleteContentOperationalWebhook: operational,
  rotateContentOperationalWebhookSecret: operational,
  testContentOperationalWebhook: operational,
  listContentOperationalDeliveries: operational,
}
