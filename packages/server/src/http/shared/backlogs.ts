import { Type } from 'typebox'
import type { Backlog } from '../../engine/manage/backlogs.ts'
import { closed, nullable, time } from './schemas.ts'
import { isoTimeOrNull } from './time.ts'

export const backlogSchema = nullable(
  closed(
    {
      length: Type.Integer({
        description: 'Deliveries that are due or under way, counted as far as 100,000.',
      }),
      has_more: Type.Boolean({ description: 'Whether there are more than were counted.' }),
      empty_at: nullable(
        time(
          'About when all of them will have been attempted, if no event is added; null: none waits, the webhook is not on, or it cannot be said.',
        ),
      ),
    },
    { description: 'What waits because of its limit; null: it has none.' },
  ),
)

export const backlogJson = (backlog: Backlog | null) =>
  backlog === null
    ? null
    : { length: backlog.length, has_more: backlog.more, empty_at: isoTimeOrNull(backlog.emptyAt) }
