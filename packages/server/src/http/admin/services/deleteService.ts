import { builtInDocument } from '../../../profiles/builtIn.ts'
import { adminGuard } from '../../shared/auth.ts'
import { changeInStore } from '../../shared/changes.ts'
import type { Route } from '../../shared/context.ts'
import { BODY_PROBLEMS, notFound, Problem, problemResponses } from '../../shared/problems.ts'
import { noContent } from '../../shared/schemas.ts'
import { ADMIN_PROBLEMS } from '../schemas.ts'
import { serviceParams } from './services.ts'

const schema = {
  operationId: 'deleteService',
  tags: ['Services'],
  summary: 'Remove a service',
  description: 'Rejected while a workspace uses it.',
  params: serviceParams,
  response: {
    204: noContent,
    ...problemResponses(...ADMIN_PROBLEMS, ...BODY_PROBLEMS, 'not_found', 'service_in_use'),
  },
}

export const deleteService: Route = (app, ctx) => {
  app.delete('/admin/v1/services/:id', { schema, onRequest: adminGuard(ctx) }, async (request, reply) => {
    const { id: name } = request.params
    if (builtInDocument(name) !== null) {
      throw new Problem('service_in_use', `The service ${name} is built in and cannot be removed.`)
    }
    const { result } = await changeInStore(
      ctx,
      request,
      { call: 'removeProfile', params: { name, now: ctx.clock.now() } },
      {
        workspacePublicId: '',
        action: 'service.removed',
        target: { type: 'service', id: name },
      },
    )
    if (result.outcome === 'not_found') throw notFound('service')
    if (result.outcome === 'in_use') {
      const slugs = result.workspaces.join(', ')
      throw new Problem('service_in_use', `Delete the workspaces that use ${name} first, such as ${slugs}.`)
    }
    await ctx.services.refresh()
    reply.code(204)
    return null
  })
}
