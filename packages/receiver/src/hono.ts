import type { FetchRequest, WebhookRequest } from './core/request.ts'
import { answerTo, type Handle, type HandlerOptions, type ReceiverSource } from './handlers/answer.ts'

export type { Handle, HandlerOptions, ReceiverSource, Verifies } from './handlers/answer.ts'

/** What is used of a context of Hono. */
export interface HonoContext {
  readonly req: {
    readonly raw: Request
    /** Bodies that other middleware read before. */
    readonly bodyCache?: object
  }
}

/**
 * A handler for a route of Hono: `app.post('/hooks', webhookHandler(receiver, handle))`. If middleware read the body before, it
 * must have done so as text or bytes: a parsed body does not carry the signature.
 *
 * @param receiver or, where the secret comes with the request, what returns it: `(c) => …`
 * @param handle is given the verified event and the context
 */
export function webhookHandler<Verified, Context extends HonoContext = HonoContext>(
  receiver: ReceiverSource<Verified, [Context]>,
  handle: Handle<Verified, [Context]>,
  options: HandlerOptions = {},
): (context: Context) => Promise<Response> {
  return async (context) => {
    const { raw, bodyCache } = context.req
    const wanted = raw.method === 'POST' ? await readable(raw, bodyCache) : null
    const { status, headers, body } = await answerTo(receiver, handle, options, wanted, [context])
    return new Response(body === '' ? null : body, { status, headers })
  }
}

/** A request that was read before, with the body that Hono keeps of it. */
async function readable(
  request: Request,
  cache: { readonly arrayBuffer?: unknown; readonly text?: unknown } = {},
): Promise<WebhookRequest> {
  const kept = request.bodyUsed ? await (cache.arrayBuffer ?? cache.text) : undefined
  if (kept === undefined) return request as unknown as FetchRequest
  const bytes =
    typeof kept === 'string' ? new TextEncoder().encode(kept) : new Uint8Array(kept as ArrayBuffer)
  return { headers: request.headers, body: new Blob([bytes]).stream(), bodyUsed: false }
}
