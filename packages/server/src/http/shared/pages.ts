import { type TProperties, type TSchema, Type } from 'typebox'
import { FORMS } from '../../core/textForms.ts'
import type { Page } from '../../storage/storage.ts'
import type { Context } from './context.ts'
import { invalidRequest } from './problems.ts'
import { closed } from './schemas.ts'

const DEFAULT_LIMIT = 20
const MAX_LIMIT = 100

/** Lists that have cursors; the name goes into them, so that a cursor of one list is not taken by another. */
type List =
  | 'webhooks'
  | 'webhooks, failing first'
  | 'deliveries'
  | 'events'
  | 'workspaces'
  | 'members'
  | 'keys'
  | 'operators'
  | 'admin tokens'
  | 'audit'
  | 'workspace deliveries'
  | 'event search'
  | 'consumers'
  | 'consumer'

/** Query parameter of every list. */
export const limitQuery = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: MAX_LIMIT,
    description: `Maximum number of items. Default: ${DEFAULT_LIMIT}.`,
  }),
)

/** Query parameters of lists that go from the newest to the oldest; spread into the schema of their query string. */
export const pageQuery = {
  limit: limitQuery,
  cursor: Type.Optional(
    Type.String({
      description: 'Where to continue: the unchanged cursor of the previous page.',
      pattern: FORMS.cursor.pattern,
    }),
  ),
}

/** Schema of the cursor that comes with a page. */
const nextCursor = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'For the next page; null on the last one.',
})

/** The same of a list that is searched. */
export const searchCursor = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description:
    'For the next page; null on the last one. With a filter, pages can be short or empty even if there is a next page.',
})

/** A page of a list, newest first. */
export const pageOf = <Item extends TSchema, More extends TProperties = Record<never, never>>(
  item: Item,
  title: string,
  cursor = nextCursor,
  more?: More,
) =>
  closed(
    { data: Type.Array(item, { description: 'Newest first.' }), next_cursor: cursor, ...(more as More) },
    { title },
  )

export const limitOf = ({ limit }: { readonly limit?: number }) => limit ?? DEFAULT_LIMIT

/** A list of one workspace or webhook; 0 for lists without an owner. */
export interface CursorScope {
  readonly list: List
  readonly ownerId: number
  /** The filters for which it is valid; default: any. */
  readonly filters?: string
}

/** Where a page ended. Sealed, since row numbers would tell how many rows there are, and bound to its list. */
export function writeCursor(ctx: Context, scope: CursorScope, position: readonly number[]): string {
  return Buffer.from(ctx.secretBox.seal(JSON.stringify(position), sealOf(scope))).toString('base64url')
}

const CURSOR = new RegExp(FORMS.cursor.pattern)

/** @throws Problem that names the query parameter */
export function readCursor(
  ctx: Context,
  scope: CursorScope,
  cursor: string,
  parameter = 'cursor',
): readonly number[] {
  const position = openCursor(ctx, scope, cursor)
  if (position !== null) return position
  const message =
    'is not a cursor of this list with these filters; use the unchanged cursor of the previous page'
  throw invalidRequest([{ pointer: `/${parameter}`, message }], 'query string')
}

/** @returns `null` for what is no cursor of the list */
export function openCursor(ctx: Context, scope: CursorScope, cursor: string): readonly number[] | null {
  if (!CURSOR.test(cursor)) return null
  try {
    return JSON.parse(ctx.secretBox.open(Buffer.from(cursor, 'base64url'), sealOf(scope))) as number[]
  } catch {
    return null
  }
}

const sealOf = ({ list, ownerId, filters }: CursorScope) =>
  `cursor of ${list} of ${ownerId}${filters === undefined ? '' : ` for ${filters}`}`

/**
 * Reads one page, newest first. A cursor names the last row that was shown, so rows that arrive meanwhile shift
 * nothing.
 * @param read reads rows older than `before`
 * @param groupOf of lists that are ordered by groups, each newest first
 */
export async function readPage<Row extends { readonly id: number }>(
  ctx: Context,
  scope: CursorScope,
  query: { readonly limit?: number; readonly cursor?: string },
  read: (page: Page, group: number | null) => Promise<readonly Row[]>,
  groupOf: (row: Row) => number | null = () => null,
): Promise<{ readonly rows: readonly Row[]; readonly nextCursor: string | null }> {
  const limit = limitOf(query)
  const [before = null, group = null] = query.cursor === undefined ? [] : readCursor(ctx, scope, query.cursor)
  // One more than is shown tells whether there is another page.
  const found = await read({ limit: limit + 1, before }, group)
  const rows = found.slice(0, limit)
  const nextCursor = found.length > limit ? writeCursor(ctx, scope, positionOf(rows.at(-1)!, groupOf)) : null
  return { rows, nextCursor }
}

function positionOf<Row extends { readonly id: number }>(row: Row, groupOf: (row: Row) => number | null) {
  const group = groupOf(row)
  return group === null ? [row.id] : [row.id, group]
}
