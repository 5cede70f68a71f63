import { CachedRead } from '../../../engine/cachedRead.ts'
import { adminGuard } from '../../shared/auth.ts'
import type { Route } from '../../shared/context.ts'
import { problemResponses } from '../../shared/problems.ts'
import { ADMIN_PROBLEMS } from '../schemas.ts'
import { readStatus } from './readStatus.ts'
import { StatusSchema } from './schema.ts'

const schema = {
  operationId: 'getStatus',
  tags: ['Operations'],
  summary: 'Get the state of the whole service, and what to do',
  description:
    'What `posthorn status` shows: nodes, store, rates, queue, failing webhooks, disk, clock, network, outbox and warnings, and `to_do`, which is empty when all is well. A node that is not ready also answers: data that the store does not return within two seconds is null. At most five seconds old.',
  response: { 200: StatusSchema, ...problemResponses(...ADMIN_PROBLEMS) },
}

export const getStatus: Route = (app, ctx) => {
  const status = new CachedRead(ctx.clock, () => readStatus(ctx))
  app.get('/admin/v1/status', { schema, onRequest: adminGuard(ctx) }, () => status.current())
}
