import { Type } from 'typebox'
import { deriveId, resolveId } from '../../core/ids.ts'
import type { Page, Storage } from '../../storage/storage.ts'
import { invalidRequest } from './problems.ts'

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

/** Lists that have cursors. The number goes into them, so that a cursor of one list is not taken by another. */
const LISTS = { webhooks: 1, deliveries: 2, workspaces: 3, members: 4, keys: 5 } as const
const LIST_FACTOR = 2 ** 40

export interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

/** Query parameters of every list; spread into the schema of its query string. */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_LIMIT,
      description: `How many to return at most; ${DEFAULT_LIMIT} when left out.`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({ description: 'Where to go on: the cursor that came with the page before, as it is.' }),
  ),
}

/** Schema of the cursor that comes with a page. */
export const nextCursor = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'For the next page; null on the last one.',
})

export interface ListPage<Row> {
  readonly rows: readonly Row[]
  readonly nextCursor: string | null
}

/**
 * Reads one page, newest first. A cursor names the last row that was shown, so rows that arrive meanwhile shift
 * nothing. Row ids are scrambled in it as in public ids: they would tell how many rows there are.
 * @param ownerId the workspace or webhook that the list belongs to; 0 for none
 * @param read reads rows older than `before`
 */
export async function readPage<Row extends { readonly id: number }>(params: {
  readonly storage: Storage
  readonly list: keyof typeof LISTS
  readonly ownerId: number
  readonly query: PageQuery
  readonly read: (page: Page) => Promise<readonly Row[]>
}): Promise<ListPage<Row>> {
  const { storage, query, read } = params
  const limit = query.limit ?? DEFAULT_LIMIT
  const scope = LISTS[params.list] * LIST_FACTOR + params.ownerId
  const before = query.cursor === undefined ? null : readCursor(storage, query.cursor, scope)
  // One more than is shown tells whether there is another page.
  const found = await read({ limit: limit + 1, before })
  const rows = found.slice(0, limit)
  const nextCursor = found.length > limit ? writeCursor(storage, rows.at(-1)!.id, scope) : null
  return { rows, nextCursor }
}

// A derived id has room for a row and a time; here the scope of the list takes the place of the time.
function writeCursor(storage: Storage, rowId: number, scope: number): string {
  return Buffer.from(deriveId('delivery', { rowId, createdAt: scope }, storage.idKey)).toString('base64url')
}

function readCursor(storage: Storage, cursor: string, scope: number): number {
  const bytes = /^[A-Za-z0-9_-]{22}$/.test(cursor) ? Buffer.from(cursor, 'base64url') : null
  const ref = bytes === null ? null : resolveId('delivery', bytes, storage.idKey)
  if (ref !== null && ref.createdAt === scope) return ref.rowId
  const message = 'is not a cursor of this list; take it from the page before, unchanged'
  throw invalidRequest([{ pointer: '/cursor', message }], 'query string')
}
