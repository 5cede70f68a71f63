import { type TSchema, Type } from 'typebox'
import type { ServedProfile } from '../../profiles/compile.ts'
import type { WebhookRetry } from '../../storage/rows.ts'
import { nullable, oneOf, time } from '../shared/schemas.ts'
import { isoTime, isoTimeOrNull } from '../shared/time.ts'
import { titled } from './texts.ts'
import { receiverWords } from './words.ts'

const STATUSES = ['running', 'done', 'failed', 'stopped'] as const

/** A retry of all pending deliveries of a webhook. */
export function retrySchema(service: ServedProfile): TSchema {
  const { one, deliveries: of } = receiverWords(service.profile)
  return titled(service, 'Retry', 'Retry', {
    status: oneOf(
      STATUSES,
      `\`failed\`: an attempt failed, and the retry stopped. \`stopped\`: the ${one} was paused or disabled.`,
    ),
    asked_at: time('When it was requested.'),
    ended_at: nullable(time('When it ended. Null: it is still running.')),
    pending: Type.Integer({
      description: `Pending deliveries ${of} this ${one}. Counting stops at 1,000.`,
    }),
    has_more: Type.Boolean({ description: 'Whether there are more than the counted ones.' }),
    delivered: Type.Integer({ description: 'Deliveries that it retried and that were delivered.' }),
  })
}

export const retryJson = ({ outcome, askedAt, endedAt, pending, more, delivered }: WebhookRetry): object => ({
  status: outcome ?? 'running',
  asked_at: isoTime(askedAt),
  ended_at: isoTimeOrNull(endedAt),
  pending,
  has_more: more,
  delivered,
})
