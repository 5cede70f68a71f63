import { encodeUtf8 } from './encoding.ts'
import { WebhookVerificationError } from './errors.ts'

/** The body exactly as it came over the wire. A string stands for its UTF-8 bytes. */
export type RawBody = Uint8Array | ArrayBuffer | string

/** What the receiver needs of a fetch `ReadableStream`. */
export interface WebhookBodyStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: unknown }>
    cancel(reason?: unknown): Promise<void>
  }
}

// `ignoreBOM` keeps a byte order mark, which JSON does not allow: otherwise two byte strings would read the same.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * A view of the body's bytes, still shared with the caller: copy it before the first await.
 *
 * @throws {WebhookVerificationError} `body_not_raw` or `body_too_large`.
 */
export function bodyBytes(rawBody: unknown, maxBodyBytes: number): Uint8Array {
  const bytes = typeof rawBody === 'string' ? encodeUtf8(rawBody) : binaryBytes(rawBody)
  if (bytes === null) {
    throw new WebhookVerificationError(
      'body_not_raw',
      'The body must be the raw bytes of the request (Uint8Array, ArrayBuffer) or their exact text. A parsed or re-serialized body does not carry the signature: take the body before any JSON middleware.',
    )
  }
  checkBodySize(bytes.length, maxBodyBytes)
  return bytes
}

/** By brand and not by `instanceof`, so that bytes of another realm (a test runner's, a frame's) count too. */
function binaryBytes(rawBody: unknown): Uint8Array | null {
  if (ArrayBuffer.isView(rawBody)) {
    const isBytes = Object.prototype.toString.call(rawBody) === '[object Uint8Array]'
    return isBytes ? new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength) : null
  }
  try {
    return new Uint8Array(ArrayBuffer.prototype.slice.call(rawBody, 0))
  } catch {
    return null
  }
}

function checkBodySize(length: number, maxBodyBytes: number): void {
  if (length <= maxBodyBytes) return
  throw new WebhookVerificationError(
    'body_too_large',
    `The body is larger than ${maxBodyBytes} bytes. Raise maxBodyBytes if such webhooks are expected.`,
  )
}

/**
 * Reads a request's body, and stops as soon as it passes the limit: the sender is not known yet, and must not be
 * able to fill the memory.
 *
 * @throws {WebhookVerificationError} `body_unreadable` or `body_too_large`.
 */
export async function readStream(
  stream: WebhookBodyStream | null,
  maxBodyBytes: number,
): Promise<Uint8Array> {
  if (stream === null) return new Uint8Array()
  try {
    return await readChunks(stream.getReader(), maxBodyBytes)
  } catch (cause) {
    if (cause instanceof WebhookVerificationError) throw cause
    throw new WebhookVerificationError(
      'body_unreadable',
      'The body of the request could not be read. Verify the request before anything else reads its body.',
      { cause },
    )
  }
}

async function readChunks(
  reader: ReturnType<WebhookBodyStream['getReader']>,
  maxBodyBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const chunk = binaryBytes(part.value)
    if (chunk === null) throw new TypeError('The stream does not carry bytes.')
    chunks.push(chunk)
    length += chunk.length
    if (length > maxBodyBytes) {
      // A failing cancel changes nothing about the verdict.
      await reader.cancel().catch(() => undefined)
    }
    checkBodySize(length, maxBodyBytes)
  }
  return concatBytes(chunks, length)
}

function concatBytes(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}

/**
 * Parses a verified body.
 *
 * @throws {WebhookVerificationError} `body_not_utf8` or `body_not_json`.
 */
export function parseJson(body: Uint8Array): unknown {
  let text: string
  try {
    text = decoder.decode(body)
  } catch (cause) {
    throw new WebhookVerificationError('body_not_utf8', 'The signed body is not valid UTF-8.', { cause })
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new WebhookVerificationError('body_not_json', 'The signed body is not valid JSON.', { cause })
  }
}
