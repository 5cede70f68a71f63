import type { DeliveryFilter, DeliveryStatus } from './delivery.ts'
import { isPeriod, type Period, periodMs } from './periods.ts'

/** Search parameters of the list of deliveries. */
export interface DeliverySearch {
  /** Words, or the id of an event or a delivery. */
  readonly q?: string | undefined
  readonly webhook?: string | undefined
  readonly status?: DeliveryStatus | undefined
  /** One or more, separated by commas. */
  readonly type?: string | undefined
  /** `404`, `5xx`, `none`. Exact codes are numbers, which need no quotes in the URL. */
  readonly code?: string | number | undefined
  readonly period?: Period | undefined
  /** ISO 8601; instead of a period. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** Start of an older page. */
  readonly cursor?: string | undefined
  /** ISO 8601. Start of an older page without a cursor. */
  readonly before?: string | undefined
}

/** Search parameters of the replay page: the shown replay, or the filters of a new one. */
export interface ReplaySearch extends Pick<DeliverySearch, 'webhook' | 'type' | 'period' | 'from' | 'to'> {
  readonly replay?: string | undefined
}

const STATUSES: readonly string[] = ['pending', 'delivered', 'failed', 'dead', 'canceled']
const STATUS_CODE = /^([1-5]\d\d|[2-5]xx|none)$/

/** Reads valid search parameters and ignores others. */
export function readDeliverySearch(raw: Record<string, unknown>): DeliverySearch {
  const code = String(raw.code ?? '').toLowerCase()
  const status = String(raw.status)
  const { period } = raw
  const span = isPeriod(period)
    ? { period }
    : { ...given('from', timeOf(raw.from)), ...given('to', timeOf(raw.to)) }
  return {
    // Addresses used to have a parameter for event ids.
    ...given('q', textOf(raw.q) ?? textOf(raw.event)),
    ...given('webhook', textOf(raw.webhook)),
    ...(STATUSES.includes(status) ? { status: status as DeliveryStatus } : {}),
    ...given('type', textOf(raw.type)),
    ...(STATUS_CODE.test(code)
      ? { code: /^\d/.test(code) && !code.endsWith('x') ? Number(code) : code }
      : {}),
    ...span,
    ...given('cursor', textOf(raw.cursor)),
    ...given('before', timeOf(raw.before)),
  }
}

export function readReplaySearch(raw: Record<string, unknown>): ReplaySearch {
  const { webhook, type, period, from, to } = raw
  return {
    ...readDeliverySearch({ webhook, type, period, from, to }),
    ...given('replay', textOf(raw.replay)),
  }
}

const given = <Name extends string>(name: Name, value: string | null) =>
  (value === null ? {} : { [name]: value }) as { readonly [Key in Name]?: string }

const textOf = (value: unknown) =>
  (typeof value === 'string' || typeof value === 'number') && value !== '' ? String(value) : null

const timeOf = (value: unknown) =>
  typeof value === 'string' && Number.isFinite(Date.parse(value)) ? new Date(value).toISOString() : null

/** Parses a typed status code. @returns `null` when it is invalid */
export function readStatusCode(typed: string): string | null {
  const code = typed.trim().toLowerCase()
  return STATUS_CODE.test(code) ? code : null
}

/** @param now Unix ms; end of periods */
export function filterOf(search: DeliverySearch, now: number): DeliveryFilter {
  const { q, webhook, status, type, code, period, from, to, before } = search
  const since = period === undefined ? from : new Date(now - periodMs(period)).toISOString()
  return {
    q,
    webhookId: webhook,
    status,
    eventType: type,
    statusCode: code === undefined ? undefined : String(code),
    from: since,
    to: before ?? to,
  }
}

/** Parameters that filter the list. */
const FILTERS = ['q', 'webhook', 'status', 'type', 'code', 'period', 'from', 'to'] as const
type FilterName = (typeof FILTERS)[number]

/** Names of the active filters. */
export const filtersIn = (search: DeliverySearch): readonly FilterName[] =>
  FILTERS.filter((name) => search[name] !== undefined)

export const isFiltered = (search: DeliverySearch): boolean => filtersIn(search).length > 0

/** Clears all filters. */
export const NO_FILTERS: DeliverySearch = Object.fromEntries(FILTERS.map((name) => [name, undefined]))

/** Whether the list starts with the newest match. */
export const isFirstPage = ({ cursor, before }: DeliverySearch): boolean =>
  cursor === undefined && before === undefined

/** Whether the list includes new deliveries. @param now Unix ms */
export const reachesNow = ({ to }: DeliverySearch, now: number): boolean =>
  to === undefined || Date.parse(to) > now
