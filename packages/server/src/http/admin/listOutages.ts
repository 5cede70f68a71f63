import { Type } from 'typebox'
import { adminGuard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { problemResponses } from '../shared/problems.ts'
import { closed, nullable, time } from '../shared/schemas.ts'
import { isoTime } from '../shared/time.ts'
import { ADMIN_PROBLEMS } from './schemas.ts'

const OutageSchema = closed(
  {
    began_at: time('When a node could last send.'),
    ended_at: nullable(time('When one could send again; null: none can.')),
    waited: Type.Integer({
      description: 'Deliveries that were due when it ended; of one that lasts, that are due now.',
    }),
  },
  { title: 'Outage' },
)

const schema = {
  operationId: 'listOutages',
  tags: ['Operations'],
  summary: 'List outages of the service itself',
  description:
    'Times of more than 30 s in which no node could send: its network, forward proxy or name servers were out of order, the store was away, or no node ran. They count against no webhook. Newest first, at most 100.',
  response: {
    200: closed({ data: Type.Array(OutageSchema) }, { title: 'OutageList' }),
    ...problemResponses(...ADMIN_PROBLEMS),
  },
}

export const listOutages: Route = (app, ctx) => {
  app.get('/admin/v1/outages', { schema, onRequest: adminGuard(ctx) }, async () => {
    const { nobodySendsSince: since } = ctx.engine.egress
    const [ended, queue] = await Promise.all([
      ctx.storage.egress.listOutages({}),
      since === null ? null : ctx.engine.queue(),
    ])
    const lasting = since === null ? [] : [{ began_at: isoTime(since), ended_at: null, waited: queue!.due }]
    return {
      data: [
        ...lasting,
        ...ended.map(({ beganAt, endedAt, waited }) => ({
          began_at: isoTime(beganAt),
          ended_at: isoTime(endedAt),
          waited,
        })),
      ],
    }
  })
}
