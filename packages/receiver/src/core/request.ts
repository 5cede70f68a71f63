import { binaryBytes, bodyBytes, checkBodySize } from './body.ts'
import { concatBytes } from './encoding.ts'
import { ensure, WebhookVerificationError } from './errors.ts'
import type { WebhookHeaders } from './headers.ts'

/** What is read of a fetch `Request`. */
export interface FetchRequest {
  readonly headers: Iterable<readonly [name: string, value: string]>
  /** A stream of bytes. */
  readonly body: object | null
  readonly bodyUsed: boolean
}

/**
 * What is read of a request of node:http, and of frameworks that add to it. If a body parser read the stream before,
 * `rawBody` or `body` must hold the raw bytes or their exact text.
 */
export interface NodeRequest {
  readonly headers: object
  readonly rawHeaders: readonly string[]
  readonly readableDidRead: boolean
  readonly iterator?: (options: { destroyOnReturn: boolean }) => AsyncIterable<unknown>
  [Symbol.asyncIterator](): AsyncIterator<unknown>
  readonly rawBody?: unknown
  readonly body?: unknown
}

/** Any request that has not been read. */
export type WebhookRequest = FetchRequest | NodeRequest

export function requestHeaders(request: WebhookRequest): WebhookHeaders {
  return 'rawHeaders' in request ? request.rawHeaders : request.headers
}

/**
 * Reads a request's body, and stops as soon as it passes the limit: the sender is not known yet, and must not be
 * able to fill the memory. A Node request is paused then, so that it can still be answered.
 *
 * @throws {WebhookVerificationError} `body_not_raw`, `body_unreadable` or `body_too_large`.
 */
export async function readRequest(request: WebhookRequest, maxBodyBytes: number): Promise<Uint8Array> {
  const isNode = 'rawHeaders' in request
  if (isNode ? request.readableDidRead : request.bodyUsed) {
    const kept = isNode ? (request.rawBody ?? request.body) : undefined
    if (kept !== undefined) return bodyBytes(kept, maxBodyBytes)
    ensure(
      false,
      'body_unreadable',
      'The body is already read, maybe by a body parser. Verify first, or keep the raw bytes in rawBody.',
    )
  }
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    const stream = isNode ? (request.iterator?.({ destroyOnReturn: false }) ?? request) : (request.body ?? [])
    for await (const part of stream as AsyncIterable<unknown>) {
      const chunk = binaryBytes(part)!
      length += chunk.length
      // Leaving the loop cancels a fetch body.
      checkBodySize(length, maxBodyBytes)
      chunks.push(chunk)
    }
  } catch (cause) {
    if (cause instanceof WebhookVerificationError) throw cause
    ensure(false, 'body_unreadable', 'The connection closed early.', cause)
  }
  return concatBytes(chunks)
}
