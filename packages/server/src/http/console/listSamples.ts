import { Type } from 'typebox'
import { typeOf } from '../../core/catalog.ts'
import { dialectOf } from '../../engine/manage/publicIds.ts'
import { ANY_MEMBER, callerOf, guard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { ANY_MEMBER_PROBLEMS, notFound, problemResponses } from '../shared/problems.ts'
import { samplesOf } from '../shared/samples.ts'
import { closed, nullable, openObject, time } from '../shared/schemas.ts'
import { isoTimeOrNull } from '../shared/time.ts'
import { eventTypeParams } from './params.ts'

const SampleSchema = closed(
  {
    id: nullable(Type.String({ description: 'The id of the event. Null: it is an example.' })),
    created_at: nullable(time('When the event was accepted. Null: it is an example.')),
    body: openObject('A request body as webhooks receive it.'),
  },
  { title: 'Sample' },
)

const schema = {
  operationId: 'listSamples',
  tags: ['Overviews'],
  summary: 'Sample bodies of an event type',
  description:
    "The workspace's latest events of the type, or one generated example if there are none. Types that only the service itself sends also have an example.",
  params: eventTypeParams,
  response: {
    200: closed(
      {
        made_up: Type.Boolean({ description: 'Whether it is a generated example instead of real events.' }),
        data: Type.Array(SampleSchema, { description: 'Newest first, at most three.' }),
      },
      { title: 'Samples' },
    ),
    ...problemResponses(...ANY_MEMBER_PROBLEMS),
  },
}

export const listSamples: Route = (app, ctx) => {
  app.get(
    '/console/v1/workspaces/:ws/event-types/:type/samples',
    { schema, onRequest: guard(ctx, ANY_MEMBER) },
    async (request) => {
      const caller = callerOf(request)
      const { workspace } = caller
      const dialect = dialectOf(ctx.dialects, workspace.dialect)
      const type = typeOf(dialect.catalog, request.params.type)
      if (type === undefined) throw notFound('event type')
      const { real, bodies } = await samplesOf({ ...ctx, dialect }, caller, type)
      const data = bodies.map((body, position) => {
        const event = real[position]
        return {
          id: event === undefined ? null : ctx.engine.ids.event(workspace, event),
          created_at: isoTimeOrNull(event?.createdAt ?? null),
          body: JSON.parse(body),
        }
      })
      return { made_up: real.length === 0, data }
    },
  )
}
