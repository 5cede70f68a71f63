import { answerTo, type Handle, type HandlerOptions, type ReceiverSource } from './handlers/answer.ts'

export type { Handle, HandlerOptions, ReceiverSource, Verifies } from './handlers/answer.ts'

/**
 * A handler for everything that answers a fetch `Request` with a `Response`: Workers, Deno, Bun. Its promise never rejects.
 *
 * @typeParam Rest what the runtime passes after the request, such as `env` and `ctx` of Workers
 * @param receiver or, where the secret comes with the request, what returns it: `(request, env) => …`
 * @param handle is given the verified event, the request and what comes after it
 */
export function webhookHandler<Verified, Rest extends readonly unknown[]>(
  receiver: ReceiverSource<Verified, [Request, ...Rest]>,
  handle: Handle<Verified, [Request, ...Rest]>,
  options: HandlerOptions = {},
): (request: Request, ...rest: Rest) => Promise<Response> {
  return async (request, ...rest) => {
    const wanted = request.method === 'POST' ? request : null
    const { status, headers, body } = await answerTo(receiver, handle, options, wanted, [request, ...rest])
    return new Response(body === '' ? null : body, { status, headers })
  }
}
