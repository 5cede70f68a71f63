import { PosthornConnectionError, PosthornTimeoutError } from '../errors.ts'
import type { Settings } from './settings.ts'

/** A request in parts that can be sent any number of times. */
export interface RepeatableRequest {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body: string | null
  /** The caller's. */
  readonly signal: AbortSignal
}

/**
 * Sends a request once and reads the whole response.
 * @throws PosthornConnectionError, PosthornTimeoutError, or the abort reason of the caller
 */
export async function attempt(request: RepeatableRequest, settings: Settings): Promise<Response> {
  const { url, method, headers, body, signal } = request
  const { fetch, timeoutMs } = settings
  signal.throwIfAborted()
  const controller = new AbortController()
  const abort = () => controller.abort(signal.reason)
  // Not AbortSignal.timeout: its timer outlives the response, and a busy publisher would collect thousands.
  const timer = setTimeout(() => controller.abort(), timeoutMs)
  signal.addEventListener('abort', abort, { once: true })
  try {
    // Redirects are not followed: they would turn a POST into a GET.
    const init = { method, headers, body, signal: controller.signal, redirect: 'manual' } as const
    return await buffered(await fetch(url, init))
  } catch (cause) {
    signal.throwIfAborted()
    const what = `${method} ${url}`
    if (!controller.signal.aborted) throw new PosthornConnectionError(`${what}: no response`, { cause })
    throw new PosthornTimeoutError(`${what}: no response within ${timeoutMs} ms`, timeoutMs)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

/** The response with its body in memory, so that reading it cannot fail or take time. */
async function buffered(response: Response): Promise<Response> {
  if (response.type === 'opaqueredirect')
    throw new TypeError('the response is a redirect, which is not followed; set baseUrl to the final URL')
  const bytes = await response.arrayBuffer()
  const { status, statusText, headers } = response
  return new Response(bytes.byteLength === 0 ? null : bytes, { status, statusText, headers })
}
