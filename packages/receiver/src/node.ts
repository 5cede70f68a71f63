import type { NodeRequest } from './core/request.ts'
import { answerTo, type Handle, type HandlerOptions, type ReceiverSource } from './handlers/answer.ts'

export type { Handle, HandlerOptions, ReceiverSource, Verifies } from './handlers/answer.ts'

/** What is used of a request of node:http and of frameworks above it. */
export interface IncomingRequest extends NodeRequest {
  readonly method?: string | undefined
  readonly httpVersionMajor: number
}

/** What is used of a response of node:http and of frameworks above it. */
export interface OutgoingResponse {
  readonly headersSent: boolean
  readonly destroyed: boolean
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(body?: string): unknown
}

/**
 * A handler for `createServer` of node:http, and for frameworks that pass on its requests and responses. It answers
 * every request itself, and its promise never rejects.
 *
 * @param handle is given the verified event, the request and the response
 */
export function webhookHandler<
  Verified,
  Request extends IncomingRequest = IncomingRequest,
  Response extends OutgoingResponse = OutgoingResponse,
>(
  receiver: ReceiverSource<Verified, [Request, Response]>,
  handle: Handle<Verified, [Request, Response]>,
  options: HandlerOptions = {},
): (request: Request, response: Response) => Promise<void> {
  return async (request, response) => {
    const wanted = request.method === 'POST' ? request : null
    const answer = await answerTo(receiver, handle, options, wanted, [request, response])
    // `handle` answered already, or the sender has hung up.
    if (response.headersSent || response.destroyed) return
    response.statusCode = answer.status
    for (const [name, value] of Object.entries(answer.headers)) {
      // HTTP/2 has no such header.
      if (name !== 'Connection' || request.httpVersionMajor === 1) response.setHeader(name, value)
    }
    response.end(answer.body)
  }
}
