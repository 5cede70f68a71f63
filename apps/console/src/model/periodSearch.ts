import { PERIODS, type Period } from './figures.ts'

export interface PeriodSearch {
  readonly period?: Period
}

/** For `validateSearch` of routes whose page has a `PeriodControl`. */
export const periodSearch = ({ period }: Record<string, unknown>): PeriodSearch =>
  isPeriod(period) ? { period } : {}

const isPeriod = (value: unknown): value is Period => PERIODS.some((period) => period === value)
