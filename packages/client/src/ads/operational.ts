import { unwrap } from '../connection/answer.ts'
import type { operations } from '../generated/ads.ts'
import { bodyFor, type PostOptions, type RequestOptions, requestInit } from '../resources/operations.ts'
import type {
  AdsApi,
  AdsOperationalChanges,
  AdsOperationalDelivery,
  AdsOperationalDeliveryPage,
  AdsOperationalDeliveryQuery,
  AdsOperationalToCreate,
  AdsOperationalWebhook,
  AdsOperationalWebhookWithSecret,
} from './types.ts'

/**
 * The operational webhook: it gets an event when a webhook of the workspace is failing, recovers or is disabled. A workspace
 * has at most one.
 */
export function adsOperationalWebhook(api: AdsApi) {
  return {
    /** Keep the secret: it is not shown again. */
    create(
      webhook: AdsOperationalToCreate,
      options: PostOptions = {},
    ): Promise<AdsOperationalWebhookWithSecret> {
      const body = bodyFor<operations['createAdsOperationalWebhook']>(webhook)
      return unwrap(api.POST('/api/v1/operational-webhook', { body, ...requestInit(options) }))
    },

    /** @returns `null`: there is none */
    async get(options: RequestOptions = {}): Promise<AdsOperationalWebhook | null> {
      const { webhook } = await unwrap(api.GET('/api/v1/operational-webhook', { ...requestInit(options) }))
      return webhook
    },

    update(changes: AdsOperationalChanges, options: RequestOptions = {}): Promise<AdsOperationalWebhook> {
      const body = bodyFor<operations['updateAdsOperationalWebhook']>(changes)
      return unwrap(api.PATCH('/api/v1/operational-webhook', { body, ...requestInit(options) }))
    },

    async delete(options: RequestOptions = {}): Promise<void> {
      await unwrap(api.DELETE('/api/v1/operational-webhook', { ...requestInit(options) }))
    },

    /** The old secret also signs for another 24 hours. */
    rotateSecret(options: PostOptions = {}): Promise<AdsOperationalWebhookWithSecret> {
      return unwrap(api.POST('/api/v1/operational-webhook/rotate-secret', { ...requestInit(options) }))
    },

    /** Sends it a `webhook.test` event now, in one attempt. */
    test(options: PostOptions = {}): Promise<AdsOperationalDelivery> {
      return unwrap(api.POST('/api/v1/operational-webhook/test', { ...requestInit(options) }))
    },

    /** One page of its deliveries, newest first. */
    deliveries(
      query: AdsOperationalDeliveryQuery = {},
      options: RequestOptions = {},
    ): Promise<AdsOperationalDeliveryPage> {
      const params = { query }
      return unwrap(api.GET('/api/v1/operational-webhook/deliveries', { params, ...requestInit(options) }))
    },
  }
}
