import { Type } from 'typebox'
import { adminGuard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'
import { periodQuery } from '../shared/stats.ts'
import {
  RankedWorkspaceSchema,
  rank,
  rankedJson,
  rankedMembers,
  rankedWorkspaceJson,
  rankLimitQuery,
} from './ranking.ts'
import { ADMIN_PROBLEMS } from './schemas.ts'

const WorkspaceStatsSchema = closed(
  {
    workspace: RankedWorkspaceSchema,
    events: Type.Integer({ description: 'Events published in the period.' }),
    ...rankedMembers,
  },
  { title: 'WorkspaceStats' },
)

const schema = {
  operationId: 'listWorkspaceStats',
  tags: ['Stats'],
  summary: 'List the busiest workspaces',
  description:
    'The workspaces with the most attempts in a period up to now, busiest first. The last seconds may be missing.',
  querystring: closed({ period: periodQuery, limit: rankLimitQuery }),
  response: {
    200: closed({ data: Type.Array(WorkspaceStatsSchema) }, { title: 'WorkspaceStatsList' }),
    ...problemResponses(...ADMIN_PROBLEMS, 'invalid_request'),
  },
}

export const listWorkspaceStats: Route = (app, ctx) => {
  app.get('/admin/v1/workspace-stats', { schema, onRequest: adminGuard(ctx) }, async (request) => {
    const { period = '24h', limit = 10 } = request.query
    const ranked = await rank(ctx, { scope: 'workspace', by: 'attempts' }, period)
    const found = await ctx.storage.stats.describeWorkspaces({ workspaceIds: ranked.map(({ id }) => id) })
    const workspaces = new Map(found.map((workspace) => [workspace.id, workspace]))
    const data = ranked.flatMap((counted) => {
      const workspace = workspaces.get(counted.id)
      if (workspace === undefined) return []
      return [{ workspace: rankedWorkspaceJson(workspace), events: counted.events, ...rankedJson(counted) }]
    })
    return { data: data.slice(0, limit) }
  })
}
