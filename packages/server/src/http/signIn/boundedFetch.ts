import type { CustomFetchOptions } from 'openid-client'
import { SECOND_MS } from '../../core/duration.ts'

const TIMEOUT_MS = 5 * SECOND_MS
/** Keys and metadata have some KB. */
const MAX_ANSWER_BYTES = 512 * 1024

/** The identity provider does not answer, or answers too much or with a server error. */
export class ProviderUnreachableError extends Error {
  override readonly name = 'ProviderUnreachableError'
}

/**
 * The fetch for requests to the identity provider: the whole answer must come in time, and be short.
 * @throws ProviderUnreachableError
 */
export async function boundedFetch(url: string, options: CustomFetchOptions): Promise<Response> {
  const { host } = new URL(url)
  const { method, headers: sent, redirect } = options
  // The library sends forms, and nothing else.
  const content = (options.body ?? null) as URLSearchParams | null
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(url, { method, headers: sent, body: content, redirect, signal })
    const body = await readBounded(response)
    if (response.status >= 500 || response.status === 429)
      throw new ProviderUnreachableError(`${host} answers with status ${response.status}`)
    const { status, statusText, headers } = response
    return new Response(body.length === 0 ? null : body, { status, statusText, headers })
  } catch (error) {
    if (error instanceof ProviderUnreachableError) throw error
    throw new ProviderUnreachableError(`${host} does not answer: ${whyOf(error)}`, { cause: error })
  }
}

/** @throws ProviderUnreachableError when it is too long */
async function readBounded({ body, url }: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_ANSWER_BYTES)
      throw new ProviderUnreachableError(
        `${new URL(url).host} answers with more than ${MAX_ANSWER_BYTES} bytes`,
      )
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function whyOf(error: unknown): string {
  const { name, message, cause } = error as Error
  if (name === 'TimeoutError') return `nothing within ${TIMEOUT_MS / SECOND_MS} s`
  return cause instanceof Error ? cause.message || String((cause as { code?: string }).code) : message
}
