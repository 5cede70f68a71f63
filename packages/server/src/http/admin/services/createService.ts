import { adminGuard } from '../../shared/auth.ts'
import { idempotencyHeaders } from '../../shared/changes.ts'
import type { Route } from '../../shared/context.ts'
import { setETag } from '../../shared/etag.ts'
import { CREATE_PROBLEMS, problemResponses } from '../../shared/problems.ts'
import { ADMIN_PROBLEMS } from '../schemas.ts'
import { putProfile, taken } from './putProfile.ts'
import { PROFILE_ROUTE, profileBody, readProfile, ServiceSchema, serviceJson } from './services.ts'

const schema = {
  operationId: 'createService',
  tags: ['Services'],
  summary: 'Add a service',
  description:
    'Takes effect on this node immediately, and on others within 5 seconds. Workspaces name it in their `dialect`.',
  headers: idempotencyHeaders,
  body: profileBody,
  response: {
    201: ServiceSchema,
    ...problemResponses(...ADMIN_PROBLEMS, ...CREATE_PROBLEMS, 'service_exists', 'service_limit_reached'),
  },
}

export const createService: Route = (app, ctx) => {
  app.post(
    '/admin/v1/services',
    { schema, ...PROFILE_ROUTE, onRequest: adminGuard(ctx) },
    async (request, reply) => {
      const profile = await readProfile(request.body, null, null)
      if (request.headers['idempotency-key'] === undefined && ctx.dialects.has(profile.name)) {
        throw taken(profile.name)
      }
      const service = await putProfile(ctx, request, profile, null)
      setETag(reply, service)
      reply.code(201).header('location', `/admin/v1/services/${profile.name}`)
      return serviceJson(ctx, service)
    },
  )
}
