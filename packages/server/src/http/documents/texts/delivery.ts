import type { Dialect } from '../../../core/dialect.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../core/duration.ts'
import { listed, section } from './sections.ts'

/** How requests go out, and when again. */
export function delivery({ policy }: Dialect): string {
  const { timeoutMs, waitsMs, health, exhaustedStatus } = policy
  const attempts = waitsMs.length + 1
  const waits = waitsMs.length === 0 ? '' : ` after about ${listed(waitsMs.map(spoken))}`
  const off = health.disableAfterMs
  const retryAfter = policy.honorsRetryAfter
    ? ' Your `Retry-After`, in seconds or as a date, can extend a wait up to a day.'
    : ''
  return section(
    'Receiving',
    `Each event is sent to each subscribed webhook as a separate POST. Answer with any 2xx within ${spoken(timeoutMs)}, and do the work afterwards. Only the status counts: at most 2 KB of the body are read, and redirects are not followed.`,
    attempts === 1
      ? `There are no retries: a failed delivery is \`${exhaustedStatus}\` immediately.`
      : `Anything else is a failed attempt. Retries follow${waits}: after ${attempts} attempts in total, the delivery is \`${exhaustedStatus}\`.${retryAfter}`,
    ...(health.goneDisables ? ['`410 Gone` disables the webhook immediately.'] : []),
    ...(policy.goneEndsDelivery && !health.goneDisables
      ? ['`410 Gone` ends the delivery without retries.']
      : []),
    ...(off === null
      ? []
      : [`A webhook that fails for ${spoken(off)} without a single success is also disabled.`]),
    'Delivery is at least once, and events can arrive out of order.',
  )
}

function spoken(ms: number): string {
  const round = (value: number) => String(Math.round(value * 10) / 10)
  if (ms < MINUTE_MS) return `${round(ms / SECOND_MS)} s`
  if (ms < HOUR_MS) return `${round(ms / MINUTE_MS)} min`
  return `${round(ms / HOUR_MS)} h`
}
