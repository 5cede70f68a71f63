import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ConnectionError, FastifyRequest } from 'fastify'
import { PROBLEM_HEADERS, PROBLEMS, Problem, problemDocument } from './problems.ts'
import type { requestIds } from './requestId.ts'

export type RequestIds = ReturnType<typeof requestIds>

/** Rejects expectations other than 100-continue; Node would do so without a problem document. */
export function answerExpectations(server: Server, newRequestId: RequestIds): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const requestId = newRequestId(request)
    const detail = 'The only supported expectation is 100-continue.'
    const body = problemDocument(new Problem('expectation_failed', detail), requestId)
    response
      .writeHead(PROBLEMS.expectation_failed.status, {
        ...PROBLEM_HEADERS,
        'content-length': Buffer.byteLength(body),
        'x-request-id': requestId,
        connection: 'close',
      })
      .end(body)
  })
}

/** The refusal of a request of HTTP/1.1 without `Host`. */
export function missingHost({ headers, raw }: FastifyRequest): Problem | undefined {
  if (headers.host !== undefined || raw.httpVersion !== '1.1') return undefined
  return new Problem('malformed_request', 'The request has no Host header, which HTTP/1.1 requires.')
}

/**
 * Rejects CONNECT, the one method that reaches no route: its target is a host, not a path. Without a response, the client would
 * see a broken connection.
 */
export function answerTunnels(server: Server, newRequestId: RequestIds): void {
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    // Node has detached the socket: without a listener, a client that disconnects now would end the process.
    socket.on('error', () => socket.destroy())
    const problem = notImplemented('This service is not a proxy and does not implement CONNECT.')
    endWith(socket, problem, newRequestId(request), true)
  })
}

/** Answers requests that Node's parser rejects. There is no request object, so the response is written by hand. */
export function answerClientErrors(newRequestId: RequestIds) {
  return (error: ConnectionError, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy(error)
    // Without a finished handshake there is no way to answer.
    if (!OF_HTTP.test(error.code)) return void socket.destroy()
    // The response to HEAD has no body; a client would read one as the next response.
    const isHead = packetOf(error)?.toString('latin1', 0, 5) === 'HEAD '
    endWith(socket, problemOfClient(error), newRequestId({ headers: {} }), !isHead)
  }
}

/** Codes of errors in HTTP itself; those of TLS begin otherwise. */
const OF_HTTP = /^(HPE_|ERR_HTTP_|ERR_STREAM_)/

/** Answers on a connection for whose request there is no response to send it with, and ends the connection. */
export function endWith(socket: Duplex, problem: Problem, requestId: string, withBody: boolean): void {
  const { status, title } = PROBLEMS[problem.code]
  const body = problemDocument(problem, requestId)
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    ...Object.entries(PROBLEM_HEADERS).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${withBody ? body : ''}`)
}

function problemOfClient(error: ConnectionError): Problem {
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return new Problem(
      'headers_too_large',
      'The request headers are too large; send fewer or shorter headers.',
    )
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Problem('request_timeout', 'The request did not arrive in time; send it again.')
  }
  if (error.code === 'HPE_INVALID_METHOD' && REQUEST_LINE.test(packetOf(error)?.toString('latin1') ?? '')) {
    return notImplemented(
      'This method is not supported. Use GET, HEAD, POST, PATCH, DELETE or OPTIONS, in capitals.',
    )
  }
  return new Problem('malformed_request', 'This is not a valid HTTP request.')
}

/** A method of any name, a target and the version: HTTP, though Node's parser does not know the method. */
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ [!-~]+ HTTP\/1\.[01]\r?\n/

const notImplemented = (detail: string) => new Problem('method_not_implemented', detail)

/** Fastify declares the form that JSON gives to a buffer. */
const packetOf = (error: ConnectionError) => error.rawPacket as unknown as Buffer | undefined
