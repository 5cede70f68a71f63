/** One request, ready to go out. */
export interface OutboundRequest {
  /** Scheme, host and port. */
  readonly origin: string
  /** Path and query. */
  readonly path: string
  /** Names and values, flat and alternating. */
  readonly headers: readonly string[]
  readonly body: string
}

const PATH = /^\/[!-~]*$/
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const VALUE = /^[\t -~]*$/

/**
 * A POST as it is written, whole, so that one system call sends it.
 * @param host for the Host header
 * @throws Error for a path or a header that would be read as something else
 */
export function requestText(host: string, { path, headers, body }: OutboundRequest): string {
  if (!PATH.test(path)) throw new Error('the path of a request must be visible ASCII and begin with a slash')
  let head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i]!
    const value = headers[i + 1]!
    if (!NAME.test(name) || !VALUE.test(value))
      throw new Error('a header of a request is not printable ASCII')
    head += `${name}: ${value}\r\n`
  }
  return `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}
