import { unwrap } from '../connection/answer.ts'
import type { Surroundings } from '../connection/connect.ts'
import type { operations } from '../generated/ads.ts'
import { consuming } from '../resources/consuming.ts'
import { bodyFor, type PostOptions, type RequestOptions, requestInit } from '../resources/operations.ts'
import { eachListed } from '../resources/pages.ts'
import type {
  AdsApi,
  AdsConsumedEvent,
  AdsConsumedEvents,
  AdsConsumer,
  AdsConsumerPage,
  AdsConsumerQuery,
  AdsConsumerState,
  AdsConsumerToCreate,
  AdsGap,
  AdsReadQuery,
  AdsSeek,
} from './types.ts'

/** Consumers: named positions in the feed of events, for receivers that the service cannot reach. */
export function adsConsumers(api: AdsApi, surroundings: Surroundings) {
  const base = '/api/v1/consumers'
  const one = (name: string) => ({ path: { name } })

  function list(query: AdsConsumerQuery = {}, options: RequestOptions = {}): Promise<AdsConsumerPage> {
    return unwrap(api.GET(base, { params: { query }, ...requestInit(options) }))
  }

  /** The events after the last one that was acknowledged. */
  function read(
    name: string,
    query: AdsReadQuery = {},
    options: RequestOptions = {},
  ): Promise<AdsConsumedEvents> {
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
    create(consumer: AdsConsumerToCreate, options: PostOptions = {}): Promise<AdsConsumer> {
      const body = bodyFor<operations['createAdsConsumer']>(consumer)
      return unwrap(api.POST(base, { body, ...requestInit(options) }))
    },

    list,

    /** All of them, page after page. */
    iterate(query: AdsConsumerQuery = {}, options: RequestOptions = {}) {
      return eachListed<AdsConsumerQuery, AdsConsumerState>(query, (part) => list(part, options))
    },

    get(name: string, options: RequestOptions = {}): Promise<AdsConsumerState> {
      return unwrap(api.GET(`${base}/{name}`, { params: one(name), ...requestInit(options) }))
    },

    /** Moves it back or forward: give one of `start`, `after` and `since`. */
    seek(name: string, to: AdsSeek, options: PostOptions = {}): Promise<AdsConsumer> {
      const body = bodyFor<operations['seekAdsConsumer']>(to)
      return unwrap(api.POST(`${base}/{name}/seek`, { params: one(name), body, ...requestInit(options) }))
    },

    async delete(name: string, options: RequestOptions = {}): Promise<void> {
      await unwrap(api.DELETE(`${base}/{name}`, { params: one(name), ...requestInit(options) }))
    },

    read,
    acknowledge,
    ...consuming<AdsConsumedEvent, AdsGap>({ read, acknowledge }, surroundings),
  }
}
