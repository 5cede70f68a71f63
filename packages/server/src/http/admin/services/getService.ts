import { adminGuard } from '../../shared/auth.ts'
import type { Route } from '../../shared/context.ts'
import { setETag } from '../../shared/etag.ts'
import { problemResponses } from '../../shared/problems.ts'
import { isoTime } from '../../shared/time.ts'
import { ADMIN_PROBLEMS } from '../schemas.ts'
import { documentOf, findService, ServiceWithProfileSchema, serviceJson, serviceParams } from './services.ts'

const schema = {
  operationId: 'getService',
  tags: ['Services'],
  summary: 'Read a service',
  description: 'With its profile as it was uploaded.',
  params: serviceParams,
  response: { 200: ServiceWithProfileSchema, ...problemResponses(...ADMIN_PROBLEMS, 'not_found') },
}

export const getService: Route = (app, ctx) => {
  app.get('/admin/v1/services/:id', { schema, onRequest: adminGuard(ctx) }, async (request, reply) => {
    await ctx.services.refresh()
    const service = findService(ctx, request.params.id)
    const { name } = service
    const versions = await ctx.storage.profiles.listProfileVersions({ name })
    setETag(reply, service)
    return {
      ...serviceJson(ctx, service),
      profile: await documentOf(ctx, service),
      versions: versions.map(({ version, madeAt }) => ({ version, made_at: isoTime(madeAt) })),
    }
  })
}
