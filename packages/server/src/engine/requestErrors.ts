import type { AttemptErrorCode } from '../core/delivery.ts'
import { EgressError } from './egress/index.ts'

type Named = readonly [code: AttemptErrorCode, message: string]

const RESET: Named = [
  'reset',
  'The connection was closed before a response came. Look for a crash or a limit in front.',
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
    'The response is not as long as its Content-Length says. Correct the header or leave it out.',
  ],
}

/** Names what went wrong with a request that got no status line. */
export function requestError(error: Error): Named {
  if (error instanceof EgressError) return [error.code, error.message]
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  // Before the protocol's own codes: undici gives every parser error a code of its own, all starting alike.
  if (code.startsWith('HPE_')) {
    return code === 'HPE_HEADER_OVERFLOW'
      ? BY_CODE.UND_ERR_HEADERS_OVERFLOW!
      : [
          'protocol_error',
          `The response is not valid HTTP/1.1 (${code}). Check the server or what stands before it.`,
        ]
  }
  return (
    BY_CODE[code] ?? [
      'protocol_error',
      'The exchange with the receiver failed. Check that it speaks HTTP/1.1 properly.',
    ]
  )
}
