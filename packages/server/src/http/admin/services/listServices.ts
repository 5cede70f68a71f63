import { Type } from 'typebox'
import { adminGuard } from '../../shared/auth.ts'
import type { Route } from '../../shared/context.ts'
import { problemResponses } from '../../shared/problems.ts'
import { closed } from '../../shared/schemas.ts'
import { ADMIN_PROBLEMS } from '../schemas.ts'
import { ServiceSchema, serviceJson } from './services.ts'

const schema = {
  operationId: 'listServices',
  tags: ['Services'],
  summary: 'List services',
  description: 'Built-in and added services, by name.',
  response: {
    200: closed(
      { data: Type.Array(ServiceSchema, { description: 'All services.' }) },
      { title: 'ServiceList' },
    ),
    ...problemResponses(...ADMIN_PROBLEMS),
  },
}

export const listServices: Route = (app, ctx) => {
  app.get('/admin/v1/services', { schema, onRequest: adminGuard(ctx) }, async () => {
    await ctx.services.refresh()
    const services = [...ctx.dialects.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    return { data: services.map((service) => serviceJson(ctx, service)) }
  })
}
