import type { Fault } from '../../../core/cause.ts'

/** The error codes of an attempt that failed on an open connection. */
type ExchangeErrorCode = 'reset' | 'protocol_error'

/** A request got no status line. `message` is for the customer's engineer: what is wrong, then what to do. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError'
  readonly code: ExchangeErrorCode
  readonly fault: Fault

  constructor(code: ExchangeErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.fault = code === 'reset' ? 'reset' : 'protocol'
  }
}

export function reset(cause?: unknown): ExchangeError {
  const message =
    'The connection was closed before there was a response. Check for a crash of the server, or a limit of a proxy in front of it.'
  return new ExchangeError('reset', message, cause)
}

/** @param detail what is wrong; never contains a byte of the response */
export function unreadable(detail: string): ExchangeError {
  return new ExchangeError(
    'protocol_error',
    `The response is not valid HTTP/1.1 (${detail}). Check the server or the proxy in front of it.`,
  )
}

export function headTooLong(limitBytes: number): ExchangeError {
  return new ExchangeError(
    'protocol_error',
    `The response headers are longer than ${limitBytes / 1024} KB. Send fewer or shorter headers.`,
  )
}

export function contradictoryLengths(): ExchangeError {
  return new ExchangeError(
    'protocol_error',
    'The length headers of the response contradict each other. Send either one Content-Length or Transfer-Encoding: chunked.',
  )
}

export function unwantedUpgrade(): ExchangeError {
  return new ExchangeError(
    'protocol_error',
    'The receiver answered 101 Switching Protocols, but the request did not ask for an upgrade. Answer with 2xx.',
  )
}

/** @param error of an open socket */
export function toExchangeError(error: unknown): ExchangeError {
  if (error instanceof ExchangeError) return error
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'ECONNRESET' || code === 'EPIPE') return reset(error)
  return new ExchangeError(
    'protocol_error',
    'The exchange with the receiver failed. Check that it sends valid HTTP/1.1 responses.',
    error,
  )
}
