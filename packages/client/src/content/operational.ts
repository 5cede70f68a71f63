import { unwrap } from '../connection/answer.ts'
import type { operations } from '../generated/content.ts'
import { bodyFor, type PostOptions, type RequestOptions, requestInit } from '../resources/operations.ts'
import type {
  ContentApi,
  ContentOperationalChanges,
  ContentOperationalDelivery,
  ContentOperationalDeliveryPage,
  ContentOperationalDeliveryQuery,
  ContentOperationalToCreate,
  ContentOperationalWebhook,
  ContentOperationalWebhookWithSecret,
} from './types.ts'

/**
 * The operational webhook: it gets an event when a webhook of the workspace is failing, recovers or is disabled. A workspace
 * has at most one.
 */
export function contentOperationalWebhook(api: ContentApi, ws: string) {
  const params = { path: { ws } }
  return {
    /** Keep the secret: it is not shown again. */
    create(
      webhook: ContentOperationalToCreate,
      options: PostOptions = {},
    ): Promise<ContentOperationalWebhookWithSecret> {
      const body = bodyFor<operations['createContentOperationalWebhook']>(webhook)
      return unwrap(
        api.POST('/v1/workspaces/{ws}/operational-webhook', { params, body, ...requestInit(options) }),
      )
    },

    /** @returns `null`: there is none */
    async get(options: RequestOptions = {}): Promise<ContentOperationalWebhook | null> {
      const { webhook } = await unwrap(
        api.GET('/v1/workspaces/{ws}/operational-webhook', { params, ...requestInit(options) }),
      )
      return webhook
    },

    update(
      changes: ContentOperationalChanges,
      options: RequestOptions = {},
    ): Promise<ContentOperationalWebhook> {
      const body = bodyFor<operations['updateContentOperationalWebhook']>(changes)
      return unwrap(
        api.PATCH('/v1/workspaces/{ws}/operational-webhook', { params, body, ...requestInit(options) }),
      )
    },

    async delete(options: RequestOptions = {}): Promise<void> {
      await unwrap(api.DELETE('/v1/workspaces/{ws}/operational-webhook', { params, ...requestInit(options) }))
    },

    /** The old secret also signs for another 24 hours. */
    rotateSecret(options: PostOptions = {}): Promise<ContentOperationalWebhookWithSecret> {
      return unwrap(
        api.POST('/v1/workspaces/{ws}/operational-webhook/rotate-secret', {
          params,
          ...requestInit(options),
        }),
      )
    },

    /** Sends it a `webhook.test` event now, in one attempt. */
    test(options: PostOptions = {}): Promise<ContentOperationalDelivery> {
      return unwrap(
        api.POST('/v1/workspaces/{ws}/operational-webhook/test', { params, ...requestInit(options) }),
      )
    },

    /** One page of its deliveries, newest first. */
    deliveries(
      query: ContentOperationalDeliveryQuery = {},
      options: RequestOptions = {},
    ): Promise<ContentOperationalDeliveryPage> {
      const params = { path: { ws }, query }
      return unwrap(
        api.GET('/v1/workspaces/{ws}/operational-webhook/deliveries', { params, ...requestInit(options) }),
      )
    },
  }
}
