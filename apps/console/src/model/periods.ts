const HOUR_MS = 3_600_000

const OF = {
  '1h': { ms: HOUR_MS, short: '1 h', name: 'last hour' },
  '24h': { ms: 24 * HOUR_MS, short: '24 h', name: 'last 24 hours' },
  '7d': { ms: 7 * 24 * HOUR_MS, short: '7 d', name: 'last 7 days' },
  '30d': { ms: 30 * 24 * HOUR_MS, short: '30 d', name: 'last 30 days' },
} as const

/** A period up to now. */
export type Period = keyof typeof OF

export const PERIODS = Object.keys(OF) as readonly Period[]

export const isPeriod = (value: unknown): value is Period => PERIODS.some((period) => period === value)

export const periodMs = (period: Period): number => OF[period].ms
/** "24 h". */
export const periodLabel = (period: Period): string => OF[period].short
/** "last 24 hours". */
export const periodName = (period: Period): string => OF[period].name
