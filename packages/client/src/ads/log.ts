import { unwrap } from '../connection/answer.ts'
import { type PostOptions, type RequestOptions, requestInit } from '../resources/operations.ts'
import { eachListed } from '../resources/pages.ts'
import { startReplay } from './replays.ts'
import type {
  AdsApi,
  AdsAuditEntry,
  AdsAuditPage,
  AdsAuditQuery,
  AdsDelivery,
  AdsDeliveryPage,
  AdsDeliveryQuery,
  AdsDeliveryWithRequests,
  AdsReplay,
  AdsReplayFilter,
} from './types.ts'

/** The delivery log of the workspace. */
export function adsDeliveries(api: AdsApi) {
  function list(query: AdsDeliveryQuery = {}, options: RequestOptions = {}): Promise<AdsDeliveryPage> {
    return unwrap(api.GET('/api/v1/webhook-deliveries', { params: { query }, ...requestInit(options) }))
  }

  return {
    /** One page, newest first. */
    list,

    /** Every delivery that matches, newest first. */
    iterate(
      query: AdsDeliveryQuery = {},
      options: RequestOptions = {},
    ): AsyncGenerator<AdsDelivery, void, undefined> {
      return eachListed(query, (part) => list(part, options))
    },

    /** With the requests as they were sent. */
    get(id: string, options: RequestOptions = {}): Promise<AdsDeliveryWithRequests> {
      const params = { path: { id } }
      return unwrap(api.GET('/api/v1/webhook-deliveries/{id}', { params, ...requestInit(options) }))
    },

    /** Makes the next attempt of a pending delivery now. It counts as one of its attempts. */
    retry(id: string, options: PostOptions = {}): Promise<AdsDelivery> {
      const params = { path: { id } }
      return unwrap(api.POST('/api/v1/webhook-deliveries/{id}/retry', { params, ...requestInit(options) }))
    },

    /** Makes a dead delivery pending again, due now, with as many attempts as a new delivery. */
    replay(id: string, options: PostOptions = {}): Promise<AdsDelivery> {
      const params = { path: { id } }
      return unwrap(api.POST('/api/v1/webhook-deliveries/{id}/replay', { params, ...requestInit(options) }))
    },

    /** The same for all dead deliveries that match, at most 10,000. Resolves when the replay has started; see `replays`. */
    replayMany(filter: AdsReplayFilter, options: PostOptions = {}): Promise<AdsReplay> {
      return startReplay(api, filter, options)
    },
  }
}

/** The audit log; for keys of an owner, and for owners. */
export function adsAuditLog(api: AdsApi) {
  function list(query: AdsAuditQuery = {}, options: RequestOptions = {}): Promise<AdsAuditPage> {
    return unwrap(api.GET('/api/v1/audit-log', { params: { query }, ...requestInit(options) }))
  }

  return {
    /** One page, newest first. */
    list,

    /** Every entry, newest first. */
    iterate(
      query: AdsAuditQuery = {},
      options: RequestOptions = {},
    ): AsyncGenerator<AdsAuditEntry, void, undefined> {
      return eachListed(query, (part) => list(part, options))
    },
  }
}
