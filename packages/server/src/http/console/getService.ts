import { dialectOf } from '../../engine/manage/publicIds.ts'
import { ANY_MEMBER, callerOf, guard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { ANY_MEMBER_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { workspaceParams } from './params.ts'
import { ServiceSchema, serviceJson } from './service.ts'

const schema = {
  operationId: 'getWorkspaceService',
  tags: ['Overviews'],
  summary: 'Describe the service',
  description:
    "The workspace's service as a console needs it: paths of its API, spelling of members, names, operations and signatures.",
  params: workspaceParams,
  response: { 200: ServiceSchema, ...problemResponses(...ANY_MEMBER_PROBLEMS) },
}

export const getService: Route = (app, ctx) => {
  app.get(
    '/console/v1/workspaces/:ws/service',
    { schema, onRequest: guard(ctx, ANY_MEMBER) },
    async (request) => serviceJson(dialectOf(ctx.dialects, callerOf(request).workspace.dialect).profile),
  )
}
