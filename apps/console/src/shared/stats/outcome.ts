import { ERROR_CODES, type ErrorCode, errorWords } from '../../model/errorWords.ts'
import type { ChartColor } from '../chart/series.ts'

const DELIVERED = 'delivered'

/** Similar outcomes have similar colors. */
const COLORS: Readonly<Record<string, ChartColor>> = {
  [DELIVERED]: 'good',
  ...({
    http_status: 'bad',
    timeout: 'wait',
    connect_timeout: 'chart-brown',
    connect_failed: 'chart-violet',
    reset: 'chart-pink',
    dns_failed: 'chart-blue',
    tls_failed: 'chart-teal',
    redirect: 'chart-cyan',
    protocol_error: 'chart-orange',
    refused_target: 'chart-gray',
  } satisfies Record<ErrorCode, ChartColor>),
}

/** Short name of an outcome. @param code `delivered`, or the error code of an attempt */
export const outcomeWords = (code: string): string => (code === DELIVERED ? 'Delivered' : errorWords(code))
export const outcomeColor = (code: string): ChartColor => COLORS[code] ?? 'chart-gray'

/** Codes with a count, in a fixed order. */
export function countedOutcomes(attempts: Readonly<Record<string, number>>): readonly string[] {
  const counted = Object.keys(attempts).filter((code) => attempts[code]! > 0)
  const known = [DELIVERED, ...ERROR_CODES].filter((code) => counted.includes(code))
  return [...known, ...counted.filter((code) => !known.includes(code)).sort()]
}
