import type { Consumer } from '../../../storage/rows.ts'
import type { FeedEvent } from '../../../storage/storage.ts'
import type { Caller } from '../../shared/caller.ts'
import { writeToken } from '../../shared/consumers/tokens.ts'
import type { ServiceContext } from '../../shared/context.ts'
import { isoTime } from '../../shared/time.ts'

/** An event as a consumer gets it: what a webhook would get, and what it takes to acknowledge it. */
export const consumedJson = (
  ctx: ServiceContext,
  { workspace, visibility }: Caller,
  consumer: Consumer,
  event: FeedEvent,
) => ({
  id: ctx.engine.ids.event(workspace, event),
  type: event.type,
  accepted_at: isoTime(event.createdAt),
  ack: writeToken(ctx, consumer, event.position),
  body: visibility.contentsOrNull(() => JSON.parse(event.body) as object),
})
