import type { Destination } from '../destination.ts'

/** One request, ready to be sent. */
export interface OutboundRequest {
  readonly destination: Destination
  /** Names and values, flat and alternating. */
  readonly headers: readonly string[]
  readonly body: string
}

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const VALUE = /^[\t -~]*$/

/**
 * The complete bytes of a POST, so that one system call sends it.
 * @throws Error for a header that would be read as something else
 */
export function requestText({ destination, headers, body }: OutboundRequest): string {
  let head = destination.requestHead
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i]!
    const value = headers[i + 1]!
    if (!NAME.test(name) || !VALUE.test(value))
      throw new Error('a header of a request is not printable ASCII')
    head += `${name}: ${value}\r\n`
  }
  return `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}
