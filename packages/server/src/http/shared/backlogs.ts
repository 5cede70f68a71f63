import { Type } from 'typebox'
import type { Backlog } from '../../engine/manage/backlogEstimator.ts'
import { closed, nullable, time } from './schemas.ts'
import { isoTimeOrNull } from './time.ts'

export const backlogSchema = nullable(
  closed(
    {
      length: Type.Integer({
        description: 'Deliveries that are due or in flight. Counting stops at 100,000.',
      }),
      has_more: Type.Boolean({ description: 'Whether there are more than the counted ones.' }),
      empty_at: nullable(
        time(
          'Estimated time at which the backlog is empty; null if there is no backlog, if the webhook is disabled or paused, or if no estimate is possible.',
        ),
      ),
    },
    { description: "Deliveries that wait because of the webhook's limit. Null: the webhook has no limit." },
  ),
)

export const backlogJson = (backlog: Backlog | null) =>
  backlog === null
    ? null
    : { length: backlog.length, has_more: backlog.more, empty_at: isoTimeOrNull(backlog.emptyAt) }
