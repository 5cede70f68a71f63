import { unwrap } from '../connection/answer.ts'
import type { operations } from '../generated/content.ts'
import { bodyFor, type PostOptions, type RequestOptions, requestInit } from '../resources/operations.ts'
import { eachFed } from '../resources/pages.ts'
import type {
  ContentApi,
  ContentEventToPublish,
  ContentFeedEvent,
  ContentFeedPage,
  ContentFeedQuery,
  ContentPublished,
} from './types.ts'

export function contentPublishing(api: ContentApi, ws: string) {
  const path = { ws }
  return {
    /**
     * Publishes one event; its `type` determines the form of its `data`. Resolves once the event and its deliveries are stored
     * durably.
     */
    publish(event: ContentEventToPublish, options: PostOptions = {}): Promise<ContentPublished> {
      const body = bodyFor<operations['publishContentEvent']>(event)
      return unwrap(
        api.POST('/v1/workspaces/{ws}/events', { params: { path }, body, ...requestInit(options) }),
      )
    },

    /** Publishes up to 1,000 events, all or none. @returns the result of each, in the same order */
    async publishBatch(
      events: readonly ContentEventToPublish[],
      options: PostOptions = {},
    ): Promise<ContentPublished[]> {
      const body = bodyFor<operations['publishContentEvents']>({ events })
      const published = await unwrap(
        api.POST('/v1/workspaces/{ws}/events/batch', { params: { path }, body, ...requestInit(options) }),
      )
      return published.events
    },
  }
}

/** The feed of published events, oldest first. */
export function contentEvents(api: ContentApi, ws: string) {
  function list(query: ContentFeedQuery = {}, options: RequestOptions = {}): Promise<ContentFeedPage> {
    const params = { path: { ws }, query }
    return unwrap(api.GET('/v1/workspaces/{ws}/events', { params, ...requestInit(options) }))
  }

  return {
    /** One page. To continue, now or later, pass `next_cursor` or the id of the last event as `after`. */
    list,

    /** Every event so far, or every event after `after`: a cursor, or the id of an event. */
    iterate(
      query: ContentFeedQuery = {},
      options: RequestOptions = {},
    ): AsyncGenerator<ContentFeedEvent, void, undefined> {
      return eachFed(query, (part) => list(part, options))
    },

    get(id: string, options: RequestOptions = {}): Promise<ContentFeedEvent> {
      const params = { path: { ws, id } }
      return unwrap(api.GET('/v1/workspaces/{ws}/events/{id}', { params, ...requestInit(options) }))
    },
  }
}
