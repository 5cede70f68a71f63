import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError, FastifyInstance, FastifyRequest } from 'fastify'
import { PROBLEM_CONTENT_TYPE, PROBLEMS, Problem, problemDocument } from './problems.ts'
import type { requestIds } from './requestId.ts'

/** Refuses expectations other than 100-continue, which Node would do without a problem document. */
export function answerExpectations(app: FastifyInstance, newRequestId: ReturnType<typeof requestIds>): void {
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const requestId = newRequestId(request)
    const detail = 'The only expectation that is met is 100-continue.'
    const body = problemDocument(new Problem('expectation_failed', detail), requestId)
    response
      .writeHead(PROBLEMS.expectation_failed.status, {
        'content-type': PROBLEM_CONTENT_TYPE,
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
  return new Problem('malformed_request', 'The request has no Host header, which HTTP/1.1 asks for.')
}

/** Answers what is not even HTTP. Node has no request object for it, so the response is written by hand. */
export function answerClientErrors(newRequestId: ReturnType<typeof requestIds>) {
  return (error: ConnectionError, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy(error)
    const problem = problemOfClient(error)
    const { status, title } = PROBLEMS[problem.code]
    const requestId = newRequestId({ headers: {} })
    const body = problemDocument(problem, requestId)
    const head = [
      `HTTP/1.1 ${status} ${title}`,
      `content-type: ${PROBLEM_CONTENT_TYPE}`,
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      'connection: close',
    ]
    // The answer to HEAD has no body; a client that gets one takes it for the next answer.
    const isHead = packetOf(error)?.toString('latin1', 0, 5) === 'HEAD '
    socket.end(`${head.join('\r\n')}\r\n\r\n${isHead ? '' : body}`)
  }
}

function problemOfClient(error: ConnectionError): Problem {
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return new Problem('headers_too_large', 'The headers of the request are too large.')
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Problem('request_timeout', 'The request did not arrive in time.')
  }
  return new Problem('malformed_request', 'This is not a valid HTTP request.')
}

/** Fastify declares the form that JSON gives to a buffer. */
const packetOf = (error: ConnectionError) => error.rawPacket as unknown as Buffer | undefined
