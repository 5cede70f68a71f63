import { unwrap } from '../connection/answer.ts'
import type { operations } from '../generated/content.ts'
import {
  bodyFor,
  type ChangeOptions,
  type PostOptions,
  type RequestOptions,
  requestInit,
} from '../resources/operations.ts'
import { eachListed } from '../resources/pages.ts'
import type {
  ContentApi,
  ContentDelivery,
  ContentEventType,
  ContentRetry,
  ContentSample,
  ContentWebhook,
  ContentWebhookChanges,
  ContentWebhookPage,
  ContentWebhookQuery,
  ContentWebhookToCreate,
  ContentWebhookWithSecret,
} from './types.ts'

export function contentWebhooks(api: ContentApi, ws: string) {
  function list(query: ContentWebhookQuery = {}, options: RequestOptions = {}): Promise<ContentWebhookPage> {
    const params = { path: { ws }, query }
    return unwrap(api.GET('/v1/workspaces/{ws}/webhooks', { params, ...requestInit(options) }))
  }

  return {
    /** Keep the `signing_secret`: it is not shown again. */
    create(webhook: ContentWebhookToCreate, options: PostOptions = {}): Promise<ContentWebhookWithSecret> {
      const params = { path: { ws } }
      const body = bodyFor<operations['createContentWebhook']>(webhook)
      return unwrap(api.POST('/v1/workspaces/{ws}/webhooks', { params, body, ...requestInit(options) }))
    },

    /** One page, newest first. */
    list,

    /** Every webhook, newest first. */
    iterate(
      query: ContentWebhookQuery = {},
      options: RequestOptions = {},
    ): AsyncGenerator<ContentWebhook, void, undefined> {
      return eachListed(query, (part) => list(part, options))
    },

    get(id: string, options: RequestOptions = {}): Promise<ContentWebhook> {
      const params = { path: { ws, id } }
      return unwrap(api.GET('/v1/workspaces/{ws}/webhooks/{id}', { params, ...requestInit(options) }))
    },

    /** Changes only the given members; `{ enabled: true }` enables it again, `{ paused: true }` pauses it. */
    update(id: string, changes: ContentWebhookChanges, options: ChangeOptions = {}): Promise<ContentWebhook> {
      const params = { path: { ws, id } }
      const body = bodyFor<operations['updateContentWebhook']>(changes)
      return unwrap(api.PATCH('/v1/workspaces/{ws}/webhooks/{id}', { params, body, ...requestInit(options) }))
    },

    async delete(id: string, options: ChangeOptions = {}): Promise<void> {
      const params = { path: { ws, id } }
      await unwrap(api.DELETE('/v1/workspaces/{ws}/webhooks/{id}', { params, ...requestInit(options) }))
    },

    /** The old secret also signs for another 24 hours, or as long as the operator has set. */
    rotateSecret(id: string, options: PostOptions & ChangeOptions = {}): Promise<ContentWebhookWithSecret> {
      const params = { path: { ws, id } }
      return unwrap(
        api.POST('/v1/workspaces/{ws}/webhooks/{id}/rotate-secret', { params, ...requestInit(options) }),
      )
    },

    /** Makes the next attempts of pending deliveries now: one first, then twice as many each time as long as all arrive. */
    retry(id: string, options: PostOptions = {}): Promise<ContentRetry> {
      const params = { path: { ws, id } }
      return unwrap(api.POST('/v1/workspaces/{ws}/webhooks/{id}/retry', { params, ...requestInit(options) }))
    },

    /** The latest retry; poll it until its status is no longer `running`. */
    getRetry(id: string, options: RequestOptions = {}): Promise<ContentRetry> {
      const params = { path: { ws, id } }
      return unwrap(api.GET('/v1/workspaces/{ws}/webhooks/{id}/retry', { params, ...requestInit(options) }))
    },

    /**
     * Sends a `webhook.test` event now, or the example of a type that the webhook receives: one attempt. Tests,
     * redeliveries, retries and recoveries share a limit of 10 a minute.
     */
    test(
      id: string,
      { type, ...options }: PostOptions & { readonly type?: ContentEventType } = {},
    ): Promise<ContentDelivery> {
      const params = { path: { ws, id } }
      const body = type === undefined ? {} : { type }
      return unwrap(
        api.POST('/v1/workspaces/{ws}/webhooks/{id}/test', { params, body, ...requestInit(options) }),
      )
    },

    /** Bodies of the latest events of a type, or a made-up one, so that you can map fields before the first event arrives. */
    sample(event: ContentEventType, options: RequestOptions = {}): Promise<ContentSample> {
      const params = { path: { ws }, query: { event } }
      return unwrap(api.GET('/v1/workspaces/{ws}/webhooks/sample', { params, ...requestInit(options) }))
    },
  }
}
