import { Type } from 'typebox'
import { FORMS } from '../../core/textForms.ts'
import type { StoredEvent, Workspace } from '../../storage/rows.ts'
import type { EventPosition } from '../../storage/storage.ts'
import type { Context, ServiceContext } from './context.ts'
import { limitOf, limitQuery, openCursor, writeCursor } from './pages.ts'
import { invalidRequest, notFound } from './problems.ts'

/** Query parameters of a feed of events. */
export const feedQuery = {
  limit: limitQuery,
  after: Type.Optional(
    Type.String({
      pattern: FORMS.feedPosition.pattern,
      description:
        'Where to continue: the cursor of the previous page, or the id of an event. Default: the oldest stored event.',
    }),
  ),
}

export const feedCursor = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description:
    'Send it as `after` to continue, now or later; the cursor of the last page stays valid. Null only if there are no events yet.',
})

export const hasMore = Type.Boolean({
  description:
    'Whether there are more events already. A page of a filtered feed can be short or empty even if there are more.',
})

/** @throws Problem `not_found` */
export async function findEvent(ctx: ServiceContext, workspace: Workspace, id: string): Promise<StoredEvent> {
  const event = await eventOrNull(ctx, workspace, id)
  if (event === null) throw notFound('event')
  return event
}

/** @returns `null` also for ids that are not even of the right form */
export async function eventOrNull(ctx: Context, workspace: Workspace, id: string) {
  const ref = ctx.engine.ids.parseEvent(workspace, id)
  if (ref.broughtId === null && ref.rowId === null) return null
  return ctx.storage.log.getEvent({ workspaceId: workspace.id, ...ref })
}

/** Reads one page of a workspace's events in the order in which they were stored. */
export async function readFeed(
  ctx: ServiceContext,
  workspace: Workspace,
  query: { readonly limit?: number; readonly after?: string },
  eventTypes: readonly string[] | null,
) {
  const scope = { list: 'events' as const, ownerId: workspace.id }
  const { events, next, more } = await ctx.storage.log.listEvents({
    workspaceId: workspace.id,
    eventTypes,
    after: query.after === undefined ? null : await positionOf(ctx, workspace, query.after, 'query string'),
    limit: limitOf(query),
  })
  return { events, cursor: next === null ? null : writeCursor(ctx, scope, next), more }
}

/**
 * The place that a cursor of the feed or the id of an event names.
 * @throws Problem that names the member `after` of `where`
 */
export async function positionOf(
  ctx: ServiceContext,
  workspace: Workspace,
  after: string,
  where: 'query string' | 'request body',
): Promise<EventPosition> {
  const position =
    openCursor(ctx, { list: 'events', ownerId: workspace.id }, after) ??
    (await eventOrNull(ctx, workspace, after))?.position ??
    null
  if (position !== null) return position
  const message =
    'must be a cursor of this feed or the id of a stored event; correct it, or remove it to start with the oldest event'
  throw invalidRequest([{ pointer: '/after', message }], where)
}
