/** Why attempts fail, in a few words, by the code of their error; in the order in which charts show them. */
const WORDS = {
  http_status: 'Error status from the receiver',
  timeout: 'No answer in time',
  connect_timeout: 'No connection in time',
  connect_failed: 'Could not connect',
  reset: 'Connection closed without an answer',
  dns_failed: 'Host name not found',
  tls_failed: 'Certificate or TLS problem',
  redirect: 'Redirect',
  protocol_error: 'Answer is not valid HTTP',
  refused_target: 'Address not allowed',
} as const

export type ErrorCode = keyof typeof WORDS

export const ERROR_CODES = Object.keys(WORDS) as readonly ErrorCode[]

/** What this console does not know is told by its code. */
export const errorWords = (code: string): string =>
  Object.hasOwn(WORDS, code) ? WORDS[code as ErrorCode] : code
