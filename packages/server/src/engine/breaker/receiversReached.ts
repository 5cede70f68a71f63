import type { Clock } from '../../core/clock.ts'
import { DAY_MS } from '../../core/duration.ts'
import type { Storage } from '../../storage/storage.ts'
import { Destination } from '../egress/index.ts'

type WebhookUrl = ConstructorParameters<typeof Destination>[0]

/** More than are probed at once, since some of them may be gone. */
const MAX_RECEIVERS = 64

/** Receivers that any node reached within the last 24 hours of working network. */
export async function receiversReached(
  egress: Storage['egress'],
  clock: Clock,
): Promise<readonly Destination[]> {
  const [openAt, outages] = await Promise.all([egress.readOpen({}), egress.listOutages({})])
  let since = (openAt ?? clock.now()) - DAY_MS
  // Newest first: each outage moves the start back by its duration. Another node may already have noted the end of this one.
  for (const { beganAt, endedAt } of outages) if (endedAt > since) since -= endedAt - beganAt
  return destinationsOf(await egress.recentlyReached({ since, limit: MAX_RECEIVERS }))
}

/** Some receivers, reached or not. */
export const anyReceivers = async (egress: Storage['egress']): Promise<readonly Destination[]> =>
  destinationsOf(await egress.recentlyReached({ since: null, limit: MAX_RECEIVERS }))

const destinationsOf = (webhooks: readonly WebhookUrl[]): Destination[] =>
  webhooks.flatMap((webhook) => destinationOf(webhook) ?? [])

/** @returns `null` for a URL that cannot be sent to: the rules may have changed */
function destinationOf(webhook: WebhookUrl): Destination | null {
  try {
    return new Destination(webhook)
  } catch {
    return null
  }
}
