import { isPeriod, type Period } from './periods.ts'

export interface PeriodSearch {
  readonly period?: Period
}

/** For `validateSearch` of routes whose page has a `PeriodControl`. */
export const periodSearch = ({ period }: Record<string, unknown>): PeriodSearch =>
  isPeriod(period) ? { period } : {}
