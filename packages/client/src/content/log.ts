import { unwrap } from '../connection/answer.ts'
import { type PostOptions, type RequestOptions, requestInit } from '../resources/operations.ts'
import { eachListed } from '../resources/pages.ts'
import type {
  ContentAllDeliveriesQuery,
  ContentApi,
  ContentAuditEntry,
  ContentAuditPage,
  ContentAuditQuery,
  ContentDelivery,
  ContentDeliveryPage,
  ContentDeliveryQuery,
  ContentDeliveryWithRequests,
} from './types.ts'

/** The delivery logs of a webhook and of the whole workspace. */
export function contentDeliveries(api: ContentApi, ws: string) {
  function list(
    webhookId: string,
    query: ContentDeliveryQuery = {},
    options: RequestOptions = {},
  ): Promise<ContentDeliveryPage> {
    const params = { path: { ws, id: webhookId }, query }
    return unwrap(
      api.GET('/v1/workspaces/{ws}/webhooks/{id}/deliveries', { params, ...requestInit(options) }),
    )
  }

  function listAll(
    query: ContentAllDeliveriesQuery = {},
    options: RequestOptions = {},
  ): Promise<ContentDeliveryPage> {
    const params = { path: { ws }, query }
    return unwrap(api.GET('/v1/workspaces/{ws}/deliveries', { params, ...requestInit(options) }))
  }

  return {
    /** One page of the log of a webhook, newest first. */
    list,

    /** One page of the log of the workspace, newest first. */
    listAll,

    /** Every delivery of the workspace that matches, newest first. */
    iterateAll(
      query: ContentAllDeliveriesQuery = {},
      options: RequestOptions = {},
    ): AsyncGenerator<ContentDelivery, void, undefined> {
      return eachListed(query, (part) => listAll(part, options))
    },

    /** Every delivery of a webhook that matches, newest first. */
    iterate(
      webhookId: string,
      query: ContentDeliveryQuery = {},
      options: RequestOptions = {},
    ): AsyncGenerator<ContentDelivery, void, undefined> {
      return eachListed(query, (part) => list(webhookId, part, options))
    },

    /** With the requests as they were sent. */
    get(
      webhookId: string,
      deliveryId: string,
      options: RequestOptions = {},
    ): Promise<ContentDeliveryWithRequests> {
      const params = { path: { ws, id: webhookId, did: deliveryId } }
      return unwrap(
        api.GET('/v1/workspaces/{ws}/webhooks/{id}/deliveries/{did}', { params, ...requestInit(options) }),
      )
    },

    /** Makes the next attempt of a pending delivery now. It counts as one of its attempts. */
    retry(webhookId: string, deliveryId: string, options: PostOptions = {}): Promise<ContentDelivery> {
      const params = { path: { ws, id: webhookId, did: deliveryId } }
      return unwrap(
        api.POST('/v1/workspaces/{ws}/webhooks/{id}/deliveries/{did}/retry', {
          params,
          ...requestInit(options),
        }),
      )
    },

    /** Sends a finished delivery again, with the same body and the same `webhook-id`. */
    redeliver(webhookId: string, deliveryId: string, options: PostOptions = {}): Promise<ContentDelivery> {
      const params = { path: { ws, id: webhookId, did: deliveryId } }
      return unwrap(
        api.POST('/v1/workspaces/{ws}/webhooks/{id}/deliveries/{did}/redeliver', {
          params,
          ...requestInit(options),
        }),
      )
    },
  }
}

/** The audit log; for keys of an owner, and for owners. */
export function contentAuditLog(api: ContentApi, ws: string) {
  function list(query: ContentAuditQuery = {}, options: RequestOptions = {}): Promise<ContentAuditPage> {
    const params = { path: { ws }, query }
    return unwrap(api.GET('/v1/workspaces/{ws}/audit-log', { params, ...requestInit(options) }))
  }

  return {
    /** One page, newest first. */
    list,

    /** Every entry, newest first. */
    iterate(
      query: ContentAuditQuery = {},
      options: RequestOptions = {},
    ): AsyncGenerator<ContentAuditEntry, void, undefined> {
      return eachListed(query, (part) => list(part, options))
    },
  }
}
