import { SECOND_MS } from '../../core/duration.ts'
import { EVENT_BURST_S, QUOTAS, type QuotaExceeded, type QuotaName } from '../../core/quotas.ts'
import { Problem } from './problems.ts'

type Message = (exceeded: Pick<QuotaExceeded, 'used' | 'max'>) => string

/** Messages of the quotas that reject a whole call. Webhooks and streams have problems of their own. */
const MESSAGES: Readonly<Partial<Record<QuotaName, Message>>> = {
  eventsPerSecond: ({ max }) =>
    `This workspace publishes more than ${max} events per second, averaged over ${EVENT_BURST_S} seconds. Nothing was published.`,
  bytesPerDay: ({ max }) =>
    `This workspace publishes more than ${max} bytes of events per day. Nothing was published.`,
  pendingDeliveries: ({ used, max }) =>
    `This workspace has ${used} deliveries waiting for an attempt; the limit is ${max}. Nothing was published.`,
  uncreatedDeliveries: ({ used, max }) =>
    `This workspace has ${used} deliveries waiting to be created; the limit is ${max}. Nothing was published.`,
  changesPerMinute: ({ max }) =>
    `This workspace makes more than ${max} changes per minute to its webhooks. Nothing was changed.`,
  unfinishedReplays: ({ used, max }) =>
    `This workspace has ${used} unfinished replays; the limit is ${max}. No replay was started.`,
}

/** Says which limit was met, when to try again, and who can raise it. */
export function quotaProblem(exceeded: QuotaExceeded): Problem {
  const message = MESSAGES[exceeded.quota]
  if (message === undefined) throw new Error(`no call is rejected by the quota ${exceeded.quota}`)
  const { variable } = QUOTAS[exceeded.quota]
  const seconds = Math.max(1, Math.ceil(exceeded.retryAfterMs / SECOND_MS))
  return new Problem(
    'quota_exceeded',
    `${message(exceeded)} Retry in ${seconds} s, or ask the operator to raise ${variable}.`,
    { headers: { 'retry-after': String(seconds) } },
  )
}
