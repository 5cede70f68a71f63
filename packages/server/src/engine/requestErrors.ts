import type { AttemptErrorCode } from '../core/delivery.ts'
import { EgressError } from './egress/index.ts'

type Named = readonly [code: AttemptErrorCode, message: string]

const RESET: Named = [
  'reset',
  'The connection was closed before a response came. Look for a crash or a limit in front.',
]

const UPGRADE: Named = [
  'protocol_error',
  'The receiver answered 101 Switching Protocols, which nobody asked for. Answer with a 2xx.',
]

const CONTINUE: Named = [
  'protocol_error',
  'The receiver sent a 100 Continue that nobody asked for. Switch that off; the body comes with the headers.',
]

/** By the `code` of errors that undici or Node raise once a connection stands. */
const BY_CODE: Readonly<Record<string, Named>> = {
  ECONNRESET: RESET,
  EPIPE: RESET,
  UND_ERR_SOCKET: RESET,
  UND_ERR_HEADERS_OVERFLOW: [
    'protocol_error',
    'The response headers are longer than 16 KB. Answer with fewer or shorter ones.',
  ],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: [
    'protocol_error',
    'The length headers of the response contradict each other. Send one Content-Length, or none and chunks.',
  ],
}

/** undici closes the connection itself in these cases, and only the message tells them from a receiver that did. */
const BY_MESSAGE: Readonly<Record<string, Named>> = { 'bad upgrade': UPGRADE, 'bad response': CONTINUE }

/** Names what went wrong with a request that got no status line. */
export function requestError(error: Error): Named {
  if (error instanceof EgressError) return [error.code, error.message]
  if (error.name === 'HTTPParserError') return unreadable(error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return (
    BY_MESSAGE[error.message] ??
    BY_CODE[code] ?? [
      'protocol_error',
      'The exchange with the receiver failed. Check that it speaks HTTP/1.1 properly.',
    ]
  )
}

/** What the parser stumbled over stands in brackets at the end of its message; it names no byte of the response. */
function unreadable({ message }: Error): Named {
  const reason = /\(([^()]+)\)$/.exec(message)?.[1]
  const detail = reason === undefined ? '' : ` (${reason})`
  return [
    'protocol_error',
    `The response is not valid HTTP/1.1${detail}. Check the server or what stands before it.`,
  ]
}
