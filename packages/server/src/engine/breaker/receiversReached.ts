import type { Clock } from '../../core/clock.ts'
import { DAY_MS } from '../../core/duration.ts'
import type { Storage } from '../../storage/storage.ts'
import { Destination } from '../egress/index.ts'

type WebhookUrl = ConstructorParameters<typeof Destination>[0]

/** More than are asked at once, since some of them may have gone. */
const MAX_RECEIVERS = 64

/** Receivers that any node reached in the last 24 hours in which a node could send. */
export async function receiversReached(
  egress: Storage['egress'],
  clock: Clock,
): Promise<readonly Destination[]> {
  const [openAt, outages] = await Promise.all([egress.readOpen({}), egress.listOutages({})])
  let since = (openAt ?? clock.now()) - DAY_MS
  // Newest first: each moves the beginning back by as long as it lasted. Another node may have noted already that this one is over.
  for (const { beganAt, endedAt } of outages) if (endedAt > since) since -= endedAt - beganAt
  return destinationsOf(await egress.recentlyReached({ since, limit: MAX_RECEIVERS }))
}

/** Some receivers, whether they were reached or not. */
export const anyReceivers = async (egress: Storage['egress']): Promise<readonly Destination[]> =>
  destinationsOf(await egress.recentlyReached({ since: null, limit: MAX_RECEIVERS }))

const destinationsOf = (webhooks: readonly WebhookUrl[]): Destination[] =>
  webhooks.flatMap((webhook) => destinationOf(webhook) ?? [])

/** @returns `null` for a URL that nothing can be sent to: the rules may have changed */
function destinationOf(webhook: WebhookUrl): Destination | null {
  try {
    return new Destination(webhook)
  } catch {
    return null
  }
}
