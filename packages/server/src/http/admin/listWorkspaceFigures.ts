import { Type } from 'typebox'
import { adminGuard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { periodQuery } from '../shared/figures.ts'
import { problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'
import {
  RankedWorkspaceSchema,
  rank,
  rankedJson,
  rankedMembers,
  rankedWorkspaceJson,
  rankLimitQuery,
} from './ranking.ts'
import { ADMIN_PROBLEMS } from './schemas.ts'

const WorkspaceFiguresSchema = closed(
  {
    workspace: RankedWorkspaceSchema,
    events: Type.Integer({ description: 'Events published in the period.' }),
    ...rankedMembers,
  },
  { title: 'WorkspaceFigures' },
)

const schema = {
  operationId: 'listWorkspaceFigures',
  tags: ['Figures'],
  summary: 'List the busiest workspaces',
  description:
    'The workspaces with the most attempts in a period up to now, busiest first. The last seconds may be missing.',
  querystring: closed({ period: periodQuery, limit: rankLimitQuery }),
  response: {
    200: closed({ data: Type.Array(WorkspaceFiguresSchema) }, { title: 'WorkspaceFiguresList' }),
    ...problemResponses(...ADMIN_PROBLEMS, 'invalid_request'),
  },
}

export const listWorkspaceFigures: Route = (app, ctx) => {
  app.get('/admin/v1/workspace-figures', { schema, onRequest: adminGuard(ctx) }, async (request) => {
    const { period = '24h', limit = 10 } = request.query
    const ranked = await rank(ctx, { scope: 'workspace', by: 'attempts' }, period)
    const found = await ctx.storage.figures.describeWorkspaces({ workspaceIds: ranked.map(({ id }) => id) })
    const workspaces = new Map(found.map((workspace) => [workspace.id, workspace]))
    const data = ranked.flatMap((figure) => {
      const workspace = workspaces.get(figure.id)
      if (workspace === undefined) return []
      return [{ workspace: rankedWorkspaceJson(workspace), events: figure.events, ...rankedJson(figure) }]
    })
    return { data: data.slice(0, limit) }
  })
}
