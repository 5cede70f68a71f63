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

const PHRASES: Readonly<Record<string, string>> = {
  [DELIVERED]: 'delivered',
  ...({
    http_status: 'with an error status code',
    timeout: 'with a response timeout',
    connect_timeout: 'with a connection timeout',
    connect_failed: 'without a connection',
    reset: 'closed without a response',
    dns_failed: 'to a host name that was not found',
    tls_failed: 'with a certificate or TLS error',
    redirect: 'redirected',
    protocol_error: 'with an invalid HTTP response',
    refused_target: 'to an address that is not allowed',
  } satisfies Record<ErrorCode, string>),
}

/** The outcome after a number of attempts: "3 with a response timeout". */
export const outcomePhrase = (code: string): string => PHRASES[code] ?? `with the error ${code}`
export const outcomeColor = (code: string): ChartColor => COLORS[code] ?? 'chart-gray'

/** Codes with a count, in a fixed order. */
export function countedOutcomes(attempts: Readonly<Record<string, number>>): readonly string[] {
  const counted = Object.keys(attempts).filter((code) => attempts[code]! > 0)
  const known = [DELIVERED, ...ERROR_CODES].filter((code) => counted.includes(code))
  return [...known, ...counted.filter((code) => !known.includes(code)).sort()]
}
