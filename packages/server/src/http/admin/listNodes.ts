import { Type } from 'typebox'
import type { QueueState } from '../../storage/storage.ts'
import { adminGuard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { problemResponses } from '../shared/problems.ts'
import { closed, nullable, time } from '../shared/schemas.ts'
import { isoTime, isoTimeOrNull } from '../shared/time.ts'
import { ADMIN_PROBLEMS } from './schemas.ts'

const NodeSchema = closed(
  {
    id: Type.Integer({ description: 'Another one after its lease ran out.' }),
    answering: Type.Boolean({ description: 'Whether it is the node that gives this answer.' }),
    started_at: nullable(time('When it registered; null: an older release did not keep that.')),
    lease_expires_at: time('Until when the others leave to it what it holds; it renews this all the time.'),
    alive: Type.Boolean({
      description: 'Whether its lease holds; one that does not is about to be taken over.',
    }),
  },
  { title: 'Node' },
)

const QueueSchema = closed(
  {
    pending: Type.Integer({
      description:
        'Pending deliveries. Counting stops at 1,000,000 or after half a second, so the true number may be higher.',
    }),
    due: Type.Integer({
      description:
        'Those of them that wait in the store and could be attempted now: their webhook is on and has no limit, and their time has come.',
    }),
    limited: Type.Integer({
      description:
        'The same for webhooks with a limit, which are not among `due`: they wait because of their limits.',
    }),
    oldest_due_at: nullable(time('Since when the oldest of `due` is due; null: nothing is.')),
  },
  {
    title: 'Queue',
    description: 'Of the whole store, counted five seconds ago at most.',
  },
)

const schema = {
  operationId: 'listNodes',
  tags: ['Operations'],
  summary: 'List nodes and tell how the queue stands',
  description: 'Nodes are listed from their start until they stop or are found gone, oldest first.',
  response: {
    200: closed({ data: Type.Array(NodeSchema), queue: QueueSchema }, { title: 'NodeList' }),
    ...problemResponses(...ADMIN_PROBLEMS),
  },
}

const queueJson = ({ pending, due, limited, oldestDueAt }: QueueState) => ({
  pending,
  due,
  limited,
  oldest_due_at: isoTimeOrNull(oldestDueAt),
})

export const listNodes: Route = (app, ctx) => {
  app.get('/admin/v1/nodes', { schema, onRequest: adminGuard(ctx) }, async () => {
    const [nodes, queue] = await Promise.all([ctx.storage.nodes.listNodes({}), ctx.engine.queue()])
    return {
      data: nodes.map(({ id, startedAt, leaseUntil, alive }) => ({
        id,
        answering: id === ctx.engine.nodeId,
        started_at: isoTimeOrNull(startedAt),
        lease_expires_at: isoTime(leaseUntil),
        alive,
      })),
      queue: queueJson(queue),
    }
  })
}
