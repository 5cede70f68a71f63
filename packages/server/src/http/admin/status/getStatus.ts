import { Shared } from '../../../engine/maintenance/watches.ts'
import { adminGuard } from '../../shared/auth.ts'
import type { Route } from '../../shared/context.ts'
import { problemResponses } from '../../shared/problems.ts'
import { ADMIN_PROBLEMS } from '../schemas.ts'
import { readStatus } from './readStatus.ts'
import { StatusSchema } from './schema.ts'

const schema = {
  operationId: 'getStatus',
  tags: ['Operations'],
  summary: 'Tell how the whole service is, and what to do about it',
  description:
    'What `posthorn status` shows: nodes, store, rates, queue, failing webhooks, disk, clock, network, outbox and warnings, and `to_do`, which is empty when all is well. Also answered by a node that is not ready: what the store does not tell within two seconds is null. Read five seconds ago at most, however many ask.',
  response: { 200: StatusSchema, ...problemResponses(...ADMIN_PROBLEMS) },
}

export const getStatus: Route = (app, ctx) => {
  const status = new Shared(ctx.clock, () => readStatus(ctx))
  app.get('/admin/v1/status', { schema, onRequest: adminGuard(ctx) }, () => status.current())
}
