import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

/** The part of undici's parser that is used here. */
interface ResponseParser {
  onHeadersComplete(statusCode: number, upgrade: boolean, shouldKeepAlive: boolean): number
}

/**
 * Lets receivers send a `100 Continue` ahead of their answer, as a client must (RFC 9110 section 15.2); some servers and
 * proxies do so unasked. undici 7 ends the connection on one, yet reads every other interim response as it should
 * (client-h1.js, onHeadersComplete), so its parser is told 102. Should undici change within, a 100 is an error again.
 */
export function acceptContinue(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) =>
    connect(target, (...outcome) => {
      callback(...outcome)
      // undici has made the parser by now, and no byte of a response was read yet.
      const [error, socket] = outcome
      if (error === null) readContinueAsProcessing(socket)
    })
}

function readContinueAsProcessing(socket: Socket): void {
  const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser')
  const parser: unknown = key === undefined ? null : Reflect.get(socket, key)
  if (!isResponseParser(parser)) return
  const { onHeadersComplete } = parser
  parser.onHeadersComplete = (statusCode, upgrade, shouldKeepAlive) =>
    onHeadersComplete.call(parser, statusCode === 100 ? 102 : statusCode, upgrade, shouldKeepAlive)
}

function isResponseParser(value: unknown): value is ResponseParser {
  return (
    typeof value === 'object' &&
    value !== null &&
    'onHeadersComplete' in value &&
    typeof value.onHeadersComplete === 'function'
  )
}
