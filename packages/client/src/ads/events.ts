import { unwrap } from '../connection/answer.ts'
import type { operations } from '../generated/ads.ts'
import { bodyFor, type PostOptions, type RequestOptions, requestInit } from '../resources/operations.ts'
import { eachFed } from '../resources/pages.ts'
import type {
  AdsApi,
  AdsEventToPublish,
  AdsFeedEvent,
  AdsFeedPage,
  AdsFeedQuery,
  AdsPublished,
} from './types.ts'

export function adsPublishing(api: AdsApi) {
  return {
    /**
     * Publishes one event; its `type` determines the form of its `payload`. Resolves once the event and its deliveries are
     * stored durably.
     */
    publish(event: AdsEventToPublish, options: PostOptions = {}): Promise<AdsPublished> {
      const body = bodyFor<operations['publishAdsEvent']>(event)
      return unwrap(api.POST('/api/v1/events', { body, ...requestInit(options) }))
    },

    /** Publishes up to 1,000 events, all or none. @returns the result of each, in the same order */
    async publishBatch(
      events: readonly AdsEventToPublish[],
      options: PostOptions = {},
    ): Promise<AdsPublished[]> {
      const body = bodyFor<operations['publishAdsEvents']>({ events })
      const published = await unwrap(api.POST('/api/v1/events/batch', { body, ...requestInit(options) }))
      return published.events
    },
  }
}

/** The feed of published events, oldest first. */
export function adsEvents(api: AdsApi) {
  function list(query: AdsFeedQuery = {}, options: RequestOptions = {}): Promise<AdsFeedPage> {
    return unwrap(api.GET('/api/v1/events', { params: { query }, ...requestInit(options) }))
  }

  return {
    /** One page. To continue, now or later, pass `nextCursor` or the id of the last event as `after`. */
    list,

    /** Every event so far, or every event after `after`: a cursor, or the id of an event. */
    iterate(
      query: AdsFeedQuery = {},
      options: RequestOptions = {},
    ): AsyncGenerator<AdsFeedEvent, void, undefined> {
      return eachFed(query, (part) => list(part, options))
    },

    get(id: string, options: RequestOptions = {}): Promise<AdsFeedEvent> {
      const params = { path: { id } }
      return unwrap(api.GET('/api/v1/events/{id}', { params, ...requestInit(options) }))
    },
  }
}
