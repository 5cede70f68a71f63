import { unwrap } from '../connection/answer.ts'
import type { Surroundings } from '../connection/connect.ts'
import type { operations } from '../generated/content.ts'
import { consuming } from '../resources/consuming.ts'
import { bodyFor, type PostOptions, type RequestOptions, requestInit } from '../resources/operations.ts'
import { eachListed } from '../resources/pages.ts'
import type {
  ContentApi,
  ContentConsumedEvent,
  ContentConsumedEvents,
  ContentConsumer,
  ContentConsumerPage,
  ContentConsumerQuery,
  ContentConsumerState,
  ContentConsumerToCreate,
  ContentGap,
  ContentReadQuery,
  ContentSeek,
} from './types.ts'

/** Consumers: named positions in the feed of events, for receivers that the service cannot reach. */
export function contentConsumers(api: ContentApi, ws: string, surroundings: Surroundings) {
  const base = '/v1/workspaces/{ws}/consumers'
  const one = (name: string) => ({ path: { ws, name } })

  function list(
    query: ContentConsumerQuery = {},
    options: RequestOptions = {},
  ): Promise<ContentConsumerPage> {
    return unwrap(api.GET(base, { params: { path: { ws }, query }, ...requestInit(options) }))
  }

  /** The events after the last one that was acknowledged. */
  function read(
    name: string,
    query: ContentReadQuery = {},
    options: RequestOptions = {},
  ): Promise<ContentConsumedEvents> {
    return unwrap(
      api.GET(`${base}/{name}/events`, { params: { ...one(name), query }, ...requestInit(options) }),
    )
  }

  /**
   * @param ack of an event or a page: acknowledges everything up to there. @returns `moved`: false if that was acknowledged
   *   already
   */
  function acknowledge(name: string, ack: string, options: PostOptions = {}): Promise<{ moved: boolean }> {
    const body = { ack }
    return unwrap(api.POST(`${base}/{name}/ack`, { params: one(name), body, ...requestInit(options) }))
  }

  return {
    create(consumer: ContentConsumerToCreate, options: PostOptions = {}): Promise<ContentConsumer> {
      const body = bodyFor<operations['createContentConsumer']>(consumer)
      return unwrap(api.POST(base, { params: { path: { ws } }, body, ...requestInit(options) }))
    },

    list,

    /** All of them, page after page. */
    iterate(query: ContentConsumerQuery = {}, options: RequestOptions = {}) {
      return eachListed<ContentConsumerQuery, ContentConsumerState>(query, (part) => list(part, options))
    },

    get(name: string, options: RequestOptions = {}): Promise<ContentConsumerState> {
      return unwrap(api.GET(`${base}/{name}`, { params: one(name), ...requestInit(options) }))
    },

    /** Moves it back or forward: give one of `start`, `after` and `since`. */
    seek(name: string, to: ContentSeek, options: PostOptions = {}): Promise<ContentConsumer> {
      const body = bodyFor<operations['seekContentConsumer']>(to)
      return unwrap(api.POST(`${base}/{name}/seek`, { params: one(name), body, ...requestInit(options) }))
    },

    async delete(name: string, options: RequestOptions = {}): Promise<void> {
      await unwrap(api.DELETE(`${base}/{name}`, { params: one(name), ...requestInit(options) }))
    },

    read,
    acknowledge,
    ...consuming<ContentConsumedEvent, ContentGap>({ read, acknowledge }, surroundings),
  }
}
