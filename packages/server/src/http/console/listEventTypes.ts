import { type Static, Type } from 'typebox'
import { type EventType, OpenCatalog, typeOf } from '../../core/catalog.ts'
import type { Dialect } from '../../core/dialect.ts'
import { dialectOf } from '../../engine/manage/publicIds.ts'
import type { Workspace } from '../../storage/rows.ts'
import { ANY_MEMBER, callerOf, guard } from '../shared/auth.ts'
import type { Context, Route } from '../shared/context.ts'
import { ANY_MEMBER_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed, eventTypeName, openObject } from '../shared/schemas.ts'
import { workspaceParams } from './params.ts'

const MOST_SEEN = 500

const EventTypeSchema = closed(
  {
    type: eventTypeName,
    group: Type.String({ description: 'Its heading in the catalog.', examples: ['Publications'] }),
    title: Type.String({ description: 'Display name.' }),
    description: Type.String({ description: 'When it is sent and what to use it for.' }),
    subscribable: Type.Boolean({
      description:
        'Whether webhooks can subscribe to it; false for types that only the service itself sends.',
    }),
    schema: openObject('JSON Schema of the data of the event.'),
    example: openObject('An example request body, as webhooks of this workspace would receive it.'),
  },
  { title: 'CatalogEntry' },
)

const schema = {
  operationId: 'listEventTypes',
  tags: ['Overviews'],
  summary: 'List event types',
  description:
    'All event types of the service that the workspace belongs to, in the order of its catalog: types of a group are adjacent. If the catalog is open, unlisted types that the workspace has published follow by name, at most 500.',
  params: workspaceParams,
  response: {
    200: closed({ data: Type.Array(EventTypeSchema) }, { title: 'EventTypeCatalog' }),
    ...problemResponses(...ANY_MEMBER_PROBLEMS),
  },
}

export const listEventTypes: Route = (app, ctx) => {
  app.get(
    '/console/v1/workspaces/:ws/event-types',
    { schema, onRequest: guard(ctx, ANY_MEMBER) },
    async (request) => {
      const { workspace } = callerOf(request)
      const dialect = dialectOf(ctx.dialects, workspace.dialect)
      const now = ctx.clock.now()
      const types = [...dialect.catalog.values(), ...(await seenTypes(ctx, dialect, workspace))]
      return { data: types.map((type) => entryJson(dialect, workspace, type, now)) }
    },
  )
}

/** Published types that an open catalog does not list. */
async function seenTypes(
  { storage }: Context,
  { catalog }: Dialect,
  { id: workspaceId }: Workspace,
): Promise<readonly EventType[]> {
  if (!(catalog instanceof OpenCatalog)) return []
  const seen = await storage.log.seenEventTypes({ workspaceId, limit: MOST_SEEN })
  return seen.filter((name) => !catalog.has(name)).map((name) => typeOf(catalog, name)!)
}

function entryJson(
  { exampleBody }: Dialect,
  workspace: Workspace,
  type: EventType,
  occurredAt: number,
): Static<typeof EventTypeSchema> {
  return {
    type: type.type,
    group: type.group,
    title: type.title,
    description: type.description,
    subscribable: type.subscribable,
    schema: type.schema,
    example: JSON.parse(exampleBody({ type, workspace, occurredAt })),
  }
}
