import type { NodeRequest } from './core/request.ts'
import { answerTo, type Handle, type HandlerOptions, type ReceiverSource } from './handlers/answer.ts'

export type { Handle, HandlerOptions, ReceiverSource, Verifies } from './handlers/answer.ts'

/** What is used of a request of Fastify. */
export interface FastifyRequestLike {
  readonly raw: NodeRequest
}

/** What is used of a reply of Fastify. */
export interface FastifyReplyLike {
  readonly sent: boolean
  code(status: number): unknown
  headers(values: Record<string, string>): unknown
  send(body?: string): unknown
}

/** What is used of an instance of Fastify. */
interface FastifyLike<Request, Reply> {
  removeAllContentTypeParsers(): unknown
  addContentTypeParser(
    type: string,
    parser: (request: Request, payload: unknown, done: (error: null) => void) => void,
  ): unknown
  post(path: string, handler: (request: Request, reply: Reply) => Promise<unknown>): unknown
}

/**
 * A plugin of Fastify with one route: `app.register(webhookPlugin('/hooks', receiver, handle))`. Its route reads the raw
 * body; parsers of other routes are left as they are.
 *
 * @param path of the route
 * @param handle is given the verified event, the request and the reply
 */
export function webhookPlugin<
  Verified,
  Request extends FastifyRequestLike = FastifyRequestLike,
  Reply extends FastifyReplyLike = FastifyReplyLike,
>(
  path: string,
  receiver: ReceiverSource<Verified, [Request, Reply]>,
  handle: Handle<Verified, [Request, Reply]>,
  options: HandlerOptions = {},
) {
  return async (instance: FastifyLike<Request, Reply>): Promise<void> => {
    // Only in this plugin: Fastify encapsulates parsers.
    instance.removeAllContentTypeParsers()
    instance.addContentTypeParser('*', (_request, _payload, done) => done(null))
    instance.post(path, async (request, reply) => {
      const answer = await answerTo(receiver, handle, options, request.raw, [request, reply])
      if (reply.sent) return reply
      reply.code(answer.status)
      reply.headers({ ...answer.headers })
      return reply.send(answer.body)
    })
  }
}
