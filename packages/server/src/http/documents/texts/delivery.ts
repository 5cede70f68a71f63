import type { Dialect } from '../../../core/dialect.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../core/duration.ts'
import { listed, section } from './sections.ts'

/** How requests go out, and when again. */
export function delivery({ policy }: Dialect): string {
  const { timeoutMs, waitsMs, health, exhaustedStatus } = policy
  const attempts = waitsMs.length + 1
  const waits = waitsMs.length === 0 ? '' : ` after about ${listed(waitsMs.map(spoken))}`
  const off = health.switchOffAfterMs
  const retryAfter = policy.honorsRetryAfter
    ? ' A `Retry-After` of yours, in seconds or as a date, lengthens a wait up to a day.'
    : ''
  return section(
    'Receiving',
    `Each event goes to each webhook that wants it as a POST of its own. Answer with any 2xx within ${spoken(timeoutMs)} and do the work afterwards: only the status counts, at most 2 KB of the body are read, and redirects are not followed.`,
    attempts === 1
      ? `There are no further attempts: what fails is \`${exhaustedStatus}\` at once.`
      : `Anything else is a failed attempt, and another is made${waits}: ${attempts} in all, then the delivery is \`${exhaustedStatus}\`.${retryAfter}`,
    ...(health.goneSwitchesOff
      ? ['`410 Gone` turns the webhook off at once, and nothing more is sent to it.']
      : []),
    ...(policy.goneEndsDelivery && !health.goneSwitchesOff
      ? ['`410 Gone` ends the delivery: it is not tried again.']
      : []),
    ...(off === null
      ? []
      : [`A webhook that fails for ${spoken(off)} without a success in between is turned off too.`]),
    'Delivery is at least once, and events can arrive out of order.',
  )
}

function spoken(ms: number): string {
  const round = (value: number) => String(Math.round(value * 10) / 10)
  if (ms < MINUTE_MS) return `${round(ms / SECOND_MS)} s`
  if (ms < HOUR_MS) return `${round(ms / MINUTE_MS)} min`
  return `${round(ms / HOUR_MS)} h`
}
