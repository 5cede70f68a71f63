/** Short descriptions of attempt errors by code, in the order of charts. */
const WORDS = {
  http_status: 'Error status code',
  timeout: 'Response timeout',
  connect_timeout: 'Connection timeout',
  connect_failed: 'Connection failed',
  reset: 'Connection closed without a response',
  dns_failed: 'Host name not found',
  tls_failed: 'Certificate or TLS error',
  redirect: 'Redirect',
  protocol_error: 'Invalid HTTP response',
  refused_target: 'Address not allowed',
} as const

export type ErrorCode = keyof typeof WORDS

export const ERROR_CODES = Object.keys(WORDS) as readonly ErrorCode[]

/** Short description of an error; unknown codes are returned unchanged. */
export const errorWords = (code: string): string =>
  Object.hasOwn(WORDS, code) ? WORDS[code as ErrorCode] : code
