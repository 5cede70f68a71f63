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
    id: Type.Integer({ description: "Changes when the node's lease expires." }),
    answering: Type.Boolean({ description: 'Whether this node answers the request.' }),
    started_at: nullable(time('When it registered; null: not recorded by an earlier release.')),
    lease_expires_at: time('When other nodes take over its deliveries, unless it renews its lease before.'),
    alive: Type.Boolean({
      description: 'Whether its lease is valid; otherwise another node is about to take over.',
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
        'Pending deliveries in the store that could be attempted now: they are due, and their webhook is enabled and has no limit.',
    }),
    limited: Type.Integer({
      description: 'The same for webhooks with a limit, which `due` does not include.',
    }),
    oldest_due_at: nullable(time('When the oldest of `due` became due. Null: none is due.')),
  },
  {
    title: 'Queue',
    description: "The whole store's queue, at most five seconds old.",
  },
)

const schema = {
  operationId: 'listNodes',
  tags: ['Operations'],
  summary: 'List nodes and the state of the queue',
  description:
    'A node is listed from its start until it stops or another node takes over its deliveries. Oldest first.',
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
