import { Type } from 'typebox'
import { OUTAGE_AFTER_MS, OUTAGES_KNOWN } from '../../storage/storage.ts'
import { adminGuard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { problemResponses } from '../shared/problems.ts'
import { closed, nullable, time } from '../shared/schemas.ts'
import { isoTime } from '../shared/time.ts'
import { ADMIN_PROBLEMS } from './schemas.ts'

const OutageSchema = closed(
  {
    began_at: time('When a node could last send, to within 10 s.'),
    ended_at: nullable(time('When a node could send again; null: none can yet.')),
    waited: Type.Integer({
      description: 'Number of due deliveries at the end of the outage or, while it lasts, now.',
    }),
  },
  { title: 'Outage' },
)

const schema = {
  operationId: 'listOutages',
  tags: ['Operations'],
  summary: 'List outages of the service itself',
  description: `Periods of more than 30 s in which no node could send: the network, the forward proxy, the name servers or the store were unavailable, or no node ran. This time does not count as failing time of webhooks. The latest ${OUTAGES_KNOWN} outages, newest first.`,
  response: {
    200: closed({ data: Type.Array(OutageSchema) }, { title: 'OutageList' }),
    ...problemResponses(...ADMIN_PROBLEMS),
  },
}

export const listOutages: Route = (app, ctx) => {
  app.get('/admin/v1/outages', { schema, onRequest: adminGuard(ctx) }, async () => {
    const { allHeldSince } = ctx.engine.egress
    const isOutage = allHeldSince !== null && ctx.clock.now() - allHeldSince > OUTAGE_AFTER_MS
    const since = isOutage ? allHeldSince : null
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
