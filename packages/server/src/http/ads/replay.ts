import { type Static, Type } from 'typebox'
import type { Replay } from '../../storage/rows.ts'
import { closed, nullable, oneOf, pathId, time } from '../shared/schemas.ts'
import { isoTime, isoTimeOrNull } from '../shared/time.ts'

export const ReplaySchema = closed(
  {
    id: Type.String({ format: 'uuid', description: 'Names the replay in paths.' }),
    status: oneOf(['running', 'finished'], 'Whether deliveries are still being replayed.'),
    total: Type.Integer({
      description:
        'How many deliveries were counted when it was asked for; where a filter leaves very many to look at, more may be replayed.',
    }),
    replayed: Type.Integer({ description: 'How many of them are pending again so far.' }),
    webhookId: nullable(Type.String({ description: 'Only deliveries to this endpoint; null: to all.' })),
    eventType: nullable(Type.String({ description: 'Only deliveries of this type; null: of all.' })),
    from: nullable(time('Only deliveries made at this time or later; null: from the oldest.')),
    to: nullable(time('Only deliveries made before this time; null: to the newest.')),
    createdAt: time('When it was asked for.'),
    finishedAt: nullable(time('When it was finished.')),
  },
  { title: 'Replay' },
)

export const replayParams = closed({ id: pathId('The replay.') })

export function replayJson(replay: Replay): Static<typeof ReplaySchema> {
  return {
    id: replay.publicId,
    status: replay.finishedAt === null ? 'running' : 'finished',
    total: replay.total,
    replayed: replay.replayed,
    webhookId: replay.webhookPublicId,
    eventType: replay.eventType,
    from: isoTimeOrNull(replay.from),
    to: isoTimeOrNull(replay.to),
    createdAt: isoTime(replay.createdAt),
    finishedAt: isoTimeOrNull(replay.finishedAt),
  }
}
