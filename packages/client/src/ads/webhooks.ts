import { unwrap } from '../connection/answer.ts'
import type { operations } from '../generated/ads.ts'
import {
  bodyFor,
  type ChangeOptions,
  type PostOptions,
  type RequestOptions,
  requestInit,
} from '../resources/operations.ts'
import { eachListed } from '../resources/pages.ts'
import type {
  AdsApi,
  AdsDelivery,
  AdsEventType,
  AdsRetry,
  AdsWebhook,
  AdsWebhookChanges,
  AdsWebhookPage,
  AdsWebhookQuery,
  AdsWebhookToCreate,
  AdsWebhookWithSecret,
} from './types.ts'

export function webhooks(api: AdsApi) {
  function list(query: AdsWebhookQuery = {}, options: RequestOptions = {}): Promise<AdsWebhookPage> {
    return unwrap(api.GET('/api/v1/webhooks', { params: { query }, ...requestInit(options) }))
  }

  return {
    /** Keep the `signingSecret`: it is not shown again. Without `types` it gets all events. */
    create(webhook: AdsWebhookToCreate, options: PostOptions = {}): Promise<AdsWebhookWithSecret> {
      const body = bodyFor<operations['createAdsWebhook']>(webhook)
      return unwrap(api.POST('/api/v1/webhooks', { body, ...requestInit(options) }))
    },

    /** One page, newest first. */
    list,

    /** Every webhook, newest first. */
    iterate(
      query: AdsWebhookQuery = {},
      options: RequestOptions = {},
    ): AsyncGenerator<AdsWebhook, void, undefined> {
      return eachListed(query, (part) => list(part, options))
    },

    get(id: string, options: RequestOptions = {}): Promise<AdsWebhook> {
      const params = { path: { id } }
      return unwrap(api.GET('/api/v1/webhooks/{id}', { params, ...requestInit(options) }))
    },

    /** Changes only the given members. */
    update(id: string, changes: AdsWebhookChanges, options: ChangeOptions = {}): Promise<AdsWebhook> {
      const params = { path: { id } }
      const body = bodyFor<operations['updateAdsWebhook']>(changes)
      return unwrap(api.PATCH('/api/v1/webhooks/{id}', { params, body, ...requestInit(options) }))
    },

    async delete(id: string, options: ChangeOptions = {}): Promise<void> {
      const params = { path: { id } }
      await unwrap(api.DELETE('/api/v1/webhooks/{id}', { params, ...requestInit(options) }))
    },

    /** Makes the next attempts of pending deliveries now: one first, then twice as many each time as long as all arrive. */
    retry(id: string, options: PostOptions = {}): Promise<AdsRetry> {
      const params = { path: { id } }
      return unwrap(api.POST('/api/v1/webhooks/{id}/retry', { params, ...requestInit(options) }))
    },

    /** The latest retry; poll it until its status is no longer `running`. */
    getRetry(id: string, options: RequestOptions = {}): Promise<AdsRetry> {
      const params = { path: { id } }
      return unwrap(api.GET('/api/v1/webhooks/{id}/retry', { params, ...requestInit(options) }))
    },

    /** Sends the example of a type that the endpoint receives, now, in one attempt. */
    test(
      id: string,
      { type, ...options }: PostOptions & { readonly type?: AdsEventType } = {},
    ): Promise<AdsDelivery> {
      const params = { path: { id } }
      const body = type === undefined ? {} : { type }
      return unwrap(api.POST('/api/v1/webhooks/{id}/test', { params, body, ...requestInit(options) }))
    },

    /** The old secret stops signing immediately: the header has room for one signature. */
    rotateSecret(id: string, options: PostOptions & ChangeOptions = {}): Promise<AdsWebhookWithSecret> {
      const params = { path: { id } }
      return unwrap(api.POST('/api/v1/webhooks/{id}/rotate-secret', { params, ...requestInit(options) }))
    },
  }
}
