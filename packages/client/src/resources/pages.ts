/** Page size for reading whole lists. */
const WHOLE_PAGE = 100

/** A page of a list, in the member names of either service. */
type Listed<Item> = { readonly data: readonly Item[] } & (
  | { readonly next_cursor: string | null }
  | { readonly nextCursor: string | null }
)

interface ListQuery {
  readonly limit?: number
  readonly cursor?: string
}

/** Every item of a list. Pages are fetched as they are needed; `limit` is their size. */
export async function* eachListed<Query extends ListQuery, Item>(
  query: Query,
  list: (query: Query) => Promise<Listed<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let next: { readonly cursor?: string } | null = {}
  while (next !== null) {
    const page = await list({ limit: WHOLE_PAGE, ...query, ...next })
    yield* page.data
    const cursor = 'next_cursor' in page ? page.next_cursor : page.nextCursor
    next = cursor === null ? null : { cursor }
  }
}

/** A page of a feed. Its cursor stays valid at the end. */
type Fed<Item> = { readonly data: readonly Item[] } & (
  | { readonly next_cursor: string | null; readonly has_more: boolean }
  | { readonly nextCursor: string | null; readonly hasMore: boolean }
)

interface FeedQuery {
  readonly limit?: number
  readonly after?: string
}

/** Every item of a feed up to its present end. */
export async function* eachFed<Query extends FeedQuery, Item>(
  query: Query,
  list: (query: Query) => Promise<Fed<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let next: { readonly after?: string } | null = {}
  while (next !== null) {
    const page = await list({ limit: WHOLE_PAGE, ...query, ...next })
    yield* page.data
    const [cursor, more] =
      'has_more' in page ? [page.next_cursor, page.has_more] : [page.nextCursor, page.hasMore]
    next = more && cursor !== null ? { after: cursor } : null
  }
}
