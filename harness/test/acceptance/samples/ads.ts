import { eventually } from '../../../src/support/waiting.ts'
import { ADS_TYPE, adsEvent } from '../../sampleEvents.ts'
import { type Account, unique } from '../accounts.ts'
import { call, done, receiver } from '../world.ts'
import { type ConsumerWords, consumerSamples } from './consumers.ts'
import type { Samples } from './sample.ts'

/** A call with the account's key, which identifies the workspace. */
export const inAds = ({ key }: Account, params: Readonly<Record<string, string>> = {}) => ({ key, params })

export const adsWebhookJson = (path = `/ok/${unique('hook')}`) => ({
  url: receiver().urlOf(path),
  types: [ADS_TYPE],
})

export interface AdsWebhook {
  readonly id: string
  readonly signingSecret: string
}

export const addAdsWebhook = (account: Account, path?: string) =>
  done<AdsWebhook>('createAdsWebhook', { ...inAds(account), json: adsWebhookJson(path) })

export const publishAds = (account: Account, more?: object) =>
  done<{ id: string }>('publishAdsEvent', { ...inAds(account), json: adsEvent(more) })

export interface AdsDelivery {
  readonly id: string
  readonly eventId: string
  readonly status: string
  readonly attempts: readonly {
    readonly number: number
    readonly trigger: string
    readonly statusCode: number
  }[]
}

/** Waits for the newest delivery of an endpoint to be in one of the statuses. */
export const adsDelivery = (account: Account, webhookId: string, statuses: readonly string[]) =>
  eventually(
    async () => {
      const call = { ...inAds(account), query: { webhookId, limit: 1 } }
      const { data } = await done<{ data: AdsDelivery[] }>('listAdsDeliveries', call)
      return data[0] !== undefined && statuses.includes(data[0].status) ? data[0] : null
    },
    { withinMs: 10_000, what: `a delivery that is ${statuses.join(' or ')}` },
  )

/**
 * Publishes an event to a failing receiver, and waits until no attempt is left. @returns the created
 * resources
 */
export async function letDie(account: Account): Promise<{ webhookId: string; delivery: AdsDelivery }> {
  const { id: webhookId } = await addAdsWebhook(account, `/fail/${unique('hook')}`)
  await publishAds(account)
  return { webhookId, delivery: await adsDelivery(account, webhookId, ['dead']) }
}

/**
 * Publishes an event to a receiver that asks for an hour. @returns the delivery, and the path of the receiver
 */
export async function postponeAds(account: Account) {
  const hook = `/later/${unique('hook')}`
  const { id: webhookId } = await addAdsWebhook(account, hook)
  await publishAds(account)
  const delivery = await eventually(
    async () => {
      const call = { ...inAds(account), query: { webhookId } }
      const { data } = await done<{ data: AdsDelivery[] }>('listAdsDeliveries', call)
      return data[0]?.attempts.length === 1 ? data[0] : null
    },
    { withinMs: 10_000, what: 'a delivery that waits for an hour' },
  )
  return { webhookId, delivery, hook }
}

/** Start of a recovery. */
export const SINCE = { since: '2026-01-01T00:00:00Z' }

const recovery = async (account: Account) => {
  const { id: webhook } = await addAdsWebhook(account)
  const call = { ...inAds(account, { id: webhook }), json: SINCE }
  return inAds(account, { id: (await done<{ id: string }>('recoverAdsWebhook', call)).id })
}

const onWebhook = async (account: Account) => inAds(account, { id: (await addAdsWebhook(account)).id })

const OPERATIONAL = () => ({ url: receiver().urlOf(`/ok/${unique('operational')}`) })

/** For a workspace with an operational webhook, which may exist already. */
const operational = async (account: Account) => {
  await call('createAdsOperationalWebhook', { ...inAds(account), json: OPERATIONAL() })
  return inAds(account)
}

export const ADS_WORDS: ConsumerWords = {
  title: 'Ads',
  as: inAds,
  publish: publishAds,
  types: { eventTypes: [ADS_TYPE] },
}

export const adsSamples: Samples = {
  ...consumerSamples(ADS_WORDS),
  publishAdsEvent: (account) => ({ ...inAds(account), json: adsEvent() }),
  publishAdsEvents: (account) => ({ ...inAds(account), json: { events: [adsEvent(), adsEvent()] } }),
  listAdsEvents: async (account) => {
    await publishAds(account)
    return {
      ...inAds(account),
      query: { type: ADS_TYPE, limit: 5, order: 'newest', from: '2026-01-01T00:00:00Z' },
    }
  },
  getAdsEvent: async (account) => inAds(account, { id: (await publishAds(account)).id }),
  createAdsWebhook: (account) => ({ ...inAds(account), json: adsWebhookJson() }),
  listAdsWebhooks: async (account) => {
    await addAdsWebhook(account)
    return { ...inAds(account), query: { limit: 1 } }
  },
  getAdsWebhook: onWebhook,
  updateAdsWebhook: async (account) => ({
    ...(await onWebhook(account)),
    json: { ...adsWebhookJson(), description: 'changed' },
  }),
  deleteAdsWebhook: onWebhook,
  rotateAdsWebhookSecret: onWebhook,
  listAdsDeliveries: async (account) => {
    const { webhookId } = await letDie(account)
    const span = { from: '2026-01-01T00:00:00Z', limit: 5 }
    const query = { status: 'dead', webhookId, eventType: ADS_TYPE, statusCode: '5xx', ...span }
    return { ...inAds(account), query }
  },
  getAdsDelivery: async (account) => inAds(account, { id: (await letDie(account)).delivery.id }),
  replayAdsDelivery: async (account) => inAds(account, { id: (await letDie(account)).delivery.id }),
  replayAdsDeliveries: async (account) => {
    const { webhookId } = await letDie(account)
    return { ...inAds(account), json: { webhookId, eventType: ADS_TYPE, from: '2026-01-01T00:00:00Z' } }
  },
  getAdsReplay: async (account) => {
    const { id } = await done<{ id: string }>('replayAdsDeliveries', { ...inAds(account), json: {} })
    return inAds(account, { id })
  },
  testAdsWebhook: async (account) => ({ ...(await onWebhook(account)), json: { type: ADS_TYPE } }),
  retryAdsDelivery: async (account) => inAds(account, { id: (await postponeAds(account)).delivery.id }),
  retryAdsWebhook: onWebhook,
  getAdsRetry: async (account) => {
    const what = await onWebhook(account)
    await done('retryAdsWebhook', what)
    return what
  },
  recoverAdsWebhook: async (account) => ({
    ...(await onWebhook(account)),
    json: { ...SINCE, until: '2090-01-01T00:00:00Z', status: ['dead', 'canceled'], types: [ADS_TYPE] },
  }),
  getAdsRecovery: recovery,
  cancelAdsRecovery: recovery,
  listAdsAuditLog: async (account) => {
    const { id } = await addAdsWebhook(account)
    return { ...inAds(account), query: { target: id } }
  },
  createAdsOperationalWebhook: (account) => ({ ...inAds(account), json: OPERATIONAL() }),
  getAdsOperationalWebhook: operational,
  updateAdsOperationalWebhook: async (account) => ({
    ...(await operational(account)),
    json: { events: ['webhook.failing'] },
  }),
  deleteAdsOperationalWebhook: operational,
  rotateAdsOperationalWebhookSecret: operational,
  testAdsOperationalWebhook: operational,
  listAdsOperationalDeliveries: operational,
}
