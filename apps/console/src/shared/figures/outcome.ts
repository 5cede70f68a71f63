import type { ChartColor } from '../chart/series.ts'

/** How attempts end, from the good to the bad; those alike have colors alike. */
const OUTCOMES: Readonly<Record<string, { readonly label: string; readonly color: ChartColor }>> = {
  delivered: { label: 'Delivered', color: 'good' },
  http_status: { label: 'Refused by the receiver', color: 'bad' },
  timeout: { label: 'No answer in time', color: 'wait' },
  connect_timeout: { label: 'No connection in time', color: 'chart-brown' },
  connect_failed: { label: 'No connection', color: 'chart-violet' },
  reset: { label: 'Connection broke off', color: 'chart-pink' },
  dns_failed: { label: 'Name not found', color: 'chart-blue' },
  tls_failed: { label: 'Certificate or TLS', color: 'chart-teal' },
  redirect: { label: 'Redirect', color: 'chart-cyan' },
  protocol_error: { label: 'Not HTTP', color: 'chart-orange' },
  refused_target: { label: 'Address not allowed', color: 'chart-gray' },
}

/** In a few words. @param code `delivered`, or the code of an attempt's error */
export const outcomeLabel = (code: string): string => OUTCOMES[code]?.label ?? code
export const outcomeColor = (code: string): ChartColor => OUTCOMES[code]?.color ?? 'chart-gray'

/** The codes that were counted, always in the same order. */
export function countedOutcomes(attempts: Readonly<Record<string, number>>): readonly string[] {
  const counted = Object.keys(attempts).filter((code) => attempts[code]! > 0)
  const known = Object.keys(OUTCOMES).filter((code) => counted.includes(code))
  return [...known, ...counted.filter((code) => !(code in OUTCOMES)).sort()]
}
