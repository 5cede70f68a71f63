import { adminGuard } from '../../shared/auth.ts'
import type { Route } from '../../shared/context.ts'
import { changedMeanwhile, ifMatchHeaders, setETag, versionsInIfMatch } from '../../shared/etag.ts'
import { BODY_PROBLEMS, problemResponses } from '../../shared/problems.ts'
import { ADMIN_PROBLEMS } from '../schemas.ts'
import { putProfile } from './putProfile.ts'
import {
  findService,
  PROFILE_ROUTE,
  profileBody,
  readProfile,
  ServiceSchema,
  serviceJson,
  serviceParams,
} from './services.ts'

const schema = {
  operationId: 'updateService',
  tags: ['Services'],
  summary: 'Replace the profile of a service',
  description:
    'Takes effect on this node immediately, and on others within 5 seconds. Pending deliveries follow the new schedule; bodies and secrets stay unchanged. Published event types cannot be removed or changed, unless the profile has `"compatibility": "none"`. The form of ids and secrets cannot be changed.',
  params: serviceParams,
  headers: ifMatchHeaders,
  body: profileBody,
  response: {
    200: ServiceSchema,
    ...problemResponses(...ADMIN_PROBLEMS, ...BODY_PROBLEMS, 'not_found', 'version_mismatch'),
  },
}

export const updateService: Route = (app, ctx) => {
  app.put(
    '/admin/v1/services/:id',
    { schema, ...PROFILE_ROUTE, onRequest: adminGuard(ctx) },
    async (request, reply) => {
      await ctx.services.refresh()
      const { id: name } = request.params
      // A profile may be too new for this release; it can still be replaced.
      const stored = ctx.services.stored.get(name)
      const served = stored === undefined ? findService(ctx, name) : (ctx.dialects.get(name) ?? null)
      const current = { version: stored?.version ?? served!.version }
      const profile = await readProfile(request.body, name, served)
      const versions = versionsInIfMatch(request.headers['if-match'])
      if (versions !== null && !versions.includes(current.version)) throw changedMeanwhile(current, 'service')
      const service = await putProfile(ctx, request, profile, current)
      setETag(reply, service)
      return serviceJson(ctx, service)
    },
  )
}
