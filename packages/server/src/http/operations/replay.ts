import { Type } from 'typebox'
import type { ServedProfile } from '../../profiles/compile.ts'
import { isPrefixed } from '../../profiles/profile.ts'
import type { Replay } from '../../storage/rows.ts'
import { nullable, oneOf, time } from '../shared/schemas.ts'
import { isoTime, isoTimeOrNull } from '../shared/time.ts'
import { titled } from './texts.ts'
import { receiverWords } from './words.ts'

export function replaySchema(service: ServedProfile) {
  const { profile } = service
  const { one, deliveries: of } = receiverWords(profile)
  return titled(service, 'Replay', 'Replay', {
    id: Type.String({
      ...(isPrefixed(profile) ? {} : { format: 'uuid' }),
      description: 'Identifies the replay in paths.',
    }),
    status: oneOf(['running', 'finished'], 'Whether deliveries are still being replayed.'),
    total: Type.Integer({
      description:
        'How many deliveries matched at the time of the request. Counting has a limit, so more can be replayed.',
    }),
    replayed: Type.Integer({ description: 'How many of them are pending again so far.' }),
    webhook_id: nullable(Type.String({ description: `Only deliveries ${of} this ${one}; null: ${of} all.` })),
    event_type: nullable(
      Type.String({ description: 'Only deliveries of this event type. Null: all types.' }),
    ),
    from: nullable(time('Only deliveries made at this time or later; null: from the oldest.')),
    to: nullable(time('Only deliveries made before this time; null: to the newest.')),
    created_at: time('When it was requested.'),
    finished_at: nullable(time('When it was finished.')),
  })
}

export const replayJson = (replay: Replay): object => ({
  id: replay.publicId,
  status: replay.finishedAt === null ? 'running' : 'finished',
  total: replay.total,
  replayed: replay.replayed,
  webhook_id: replay.webhookPublicId,
  event_type: replay.eventTypes[0] ?? null,
  from: isoTimeOrNull(replay.from),
  to: isoTimeOrNull(replay.to),
  created_at: isoTime(replay.createdAt),
  finished_at: isoTimeOrNull(replay.finishedAt),
})
