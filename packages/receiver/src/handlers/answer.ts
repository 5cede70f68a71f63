import type { WebhookRequest } from '../core/request.ts'

/** What is used of a receiver. */
export interface Verifies<Verified> {
  verify(request: WebhookRequest): Promise<Verified>
}

/**
 * A receiver, or what returns it: in Workers, secrets come with the request.
 *
 * @typeParam Context what the framework passes with a request
 */
export type ReceiverSource<Verified, Context extends readonly unknown[]> =
  | Verifies<Verified>
  | ((...context: Context) => Verifies<Verified>)

/**
 * Handles a genuine webhook. When it returns, the request is answered with 204; when it throws, with 500, so that the sender
 * retries. Senders wait 10 to 15 seconds: put work that takes longer into a queue.
 */
export type Handle<Verified, Context extends readonly unknown[]> = (
  verified: Verified,
  ...context: Context
) => unknown

export interface HandlerOptions {
  /**
   * Is given every error: rejected requests (`WebhookVerificationError`) and what failed here. By default the latter are
   * written with `console.error`; rejected requests are not, since anyone can send them: their reason is in the answer.
   */
  readonly onError?: ((error: unknown) => void) | undefined
}

/** What a request is answered with. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Plain text; empty for a webhook that was handled. */
  readonly body: string
}

/** By name, since the package exists as an ES module and as CommonJS, each with classes of its own. */
const VERIFICATION = 'WebhookVerificationError'
const BUSY = 'EventBusyError'

/** Mistakes of the receiver's own: the request may be genuine, so the sender is asked to retry. */
const OWN_MISTAKES = ['body_not_raw', 'body_unreadable']

/** Not proven genuine, while the request has the form of one. */
const NOT_GENUINE = [
  'signature_missing',
  'signature_mismatch',
  'signature_unsupported',
  'timestamp_too_old',
  'timestamp_too_new',
]

/** Where the body was not read to its end: what is left of it must not be taken for another request. */
const UNREAD = { Connection: 'close' }

interface KnownError {
  readonly name?: unknown
  readonly code?: unknown
  readonly message?: unknown
  readonly retryAfterSeconds?: unknown
}

/**
 * Verifies a request and has it handled. Never rejects.
 *
 * @param request as the receiver reads it; `null`: its method is not POST
 */
export async function answerTo<Verified, Context extends readonly unknown[]>(
  source: ReceiverSource<Verified, Context>,
  handle: Handle<Verified, Context>,
  { onError }: HandlerOptions,
  request: WebhookRequest | null,
  context: Context,
): Promise<Answer> {
  if (request === null)
    return text(405, 'method_not_allowed: Send webhooks with POST.', { ...UNREAD, Allow: 'POST' })
  let isVerified = false
  try {
    const receiver = typeof source === 'function' ? source(...context) : source
    const verified = await receiver.verify(request)
    isVerified = true
    await handle(verified, ...context)
    return { status: 204, headers: {}, body: '' }
  } catch (error) {
    const answer = answerFor(error as KnownError | null, isVerified)
    report(error, answer, onError)
    return answer
  }
}

/** @param isVerified whether the error comes from the handler: it may verify something else itself */
function answerFor(error: KnownError | null, isVerified: boolean): Answer {
  if (!isVerified && error?.name === VERIFICATION) {
    const { code, message } = error
    return text(statusOf(String(code)), `${code}: ${message}`, UNREAD)
  }
  if (isVerified && error?.name === BUSY) {
    return text(503, `busy: ${error.message}`, { 'Retry-After': String(error.retryAfterSeconds) })
  }
  // What went wrong inside is not the sender's to read.
  return text(500, 'handler_failed: The event could not be processed. Retry it.')
}

function statusOf(code: string): number {
  if (code === 'body_too_large') return 413
  if (OWN_MISTAKES.includes(code)) return 500
  return NOT_GENUINE.includes(code) ? 401 : 400
}

const text = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers: { ...headers, 'Content-Type': 'text/plain; charset=utf-8' },
  body,
})

function report(error: unknown, { status }: Answer, onError: HandlerOptions['onError']): void {
  try {
    if (onError !== undefined) onError(error)
    // biome-ignore lint/suspicious/noConsole: without it an error of the application's own would be lost
    else if (status === 500) console.error('An event could not be processed:', error)
  } catch {
    // The answer must not depend on the log.
  }
}
