import { infiniteQueryOptions } from '@tanstack/react-query'
import type { Consumer, ConsumerStart } from '../model/consumer.ts'
import { camelKeys } from './camelKeys.ts'
import type { ServiceApi } from './serviceApi.ts'

const PAGE = 100
const REFRESH_MS = 10_000

interface ConsumerPage {
  readonly items: readonly Consumer[]
  readonly nextCursor: string | null
}

type NewConsumer = {
  readonly name: string
  /** Absent: all. */
  readonly eventTypes?: readonly string[]
} & ConsumerStart

export interface ConsumersApi {
  /** Path of the list. */
  readonly path: string
  readonly queryKey: readonly string[]
  readonly list: (cursor: string | null, signal: AbortSignal) => Promise<ConsumerPage>
  readonly create: (consumer: NewConsumer, idempotencyKey: string) => Promise<void>
  readonly move: (name: string, to: ConsumerStart, idempotencyKey: string) => Promise<void>
  readonly remove: (name: string) => Promise<void>
}

/** The consumers API of any service. @param ws id of the workspace, for cache keys */
export function consumersApi({ base, call }: ServiceApi, ws: string): ConsumersApi {
  const under = (idempotencyKey: string) => ({ 'idempotency-key': idempotencyKey })
  return {
    path: `${base}/consumers`,
    queryKey: ['consumers', ws],
    async list(cursor, signal) {
      const { json } = await call('GET', ['consumers'], { query: { limit: PAGE, cursor }, signal })
      const { data, nextCursor } = camelKeys(
        json as { readonly data: readonly Consumer[]; readonly nextCursor: string | null },
      )
      return { items: data.map(consumerOf), nextCursor }
    },
    async create(consumer, idempotencyKey) {
      await call('POST', ['consumers'], { body: { ...consumer }, headers: under(idempotencyKey) })
    },
    async move(name, to, idempotencyKey) {
      await call('POST', ['consumers', name, 'seek'], { body: { ...to }, headers: under(idempotencyKey) })
    },
    async remove(name) {
      await call('DELETE', ['consumers', name])
    },
  }
}

function consumerOf(json: Consumer): Consumer {
  const { lag, gap, ...consumer } = camelKeys(json)
  return { ...consumer, lag: camelKeys(lag), gap: gap === null ? null : camelKeys(gap) }
}

export const consumersQuery = ({ queryKey, list }: ConsumersApi) =>
  infiniteQueryOptions({
    queryKey,
    refetchInterval: REFRESH_MS,
    initialPageParam: null as string | null,
    getNextPageParam: (page: ConsumerPage) => page.nextCursor,
    queryFn: ({ pageParam, signal }) => list(pageParam, signal),
  })
