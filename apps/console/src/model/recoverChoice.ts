import type { DeliveryStatus } from './delivery.ts'
import { type DeliverySearch, filterOf } from './deliverySearch.ts'
import { deliveriesText } from './numbers.ts'
import type { RecoverFilter } from './service.ts'

/** Selection in the recovery dialog. */
export interface RecoverChoice {
  readonly search: Pick<DeliverySearch, 'period' | 'from' | 'to' | 'type'>
  readonly statuses: readonly DeliveryStatus[]
}

/**
 * Filter of a recovery; `null`: nothing can match.
 * @param all states that can be recovered
 * @param now Unix ms
 * @param keptS retention of deliveries, used as the start by default
 */
export function recoverFilter(
  { search, statuses }: RecoverChoice,
  all: readonly DeliveryStatus[],
  now: number,
  keptS: number,
): RecoverFilter | null {
  const { from, to, eventType = '' } = filterOf(search, now)
  const since = from ?? new Date(now - keptS * 1_000).toISOString()
  const chosen = all.filter((status) => statuses.includes(status))
  if (chosen.length === 0 || (to !== undefined && to <= since)) return null
  const types = eventType.split(',').filter((type) => type !== '')
  return {
    since,
    ...(to === undefined ? {} : { until: to }),
    ...(chosen.length === all.length ? {} : { status: chosen }),
    ...(types.length === 0 ? {} : { types }),
  }
}

/** "4 deliveries failed or were canceled." @param count deliveries with these states */
export function recoverableText(count: number, statuses: readonly DeliveryStatus[]): string {
  const many = count > 1
  const words: Partial<Record<DeliveryStatus, string>> = {
    canceled: many ? 'were canceled' : 'was canceled',
    dead: many ? 'are dead' : 'is dead',
  }
  const ended = statuses.map((status) => words[status] ?? 'failed')
  if (count > 0) return `${deliveriesText(count)} ${ended.join(' or ')}.`
  return `No delivery ${ended.join(' or ')} in this time.`
}
