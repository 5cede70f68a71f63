import { encodeUtf8 } from './encoding.ts'
import { ensure } from './errors.ts'

/** The body exactly as it came over the wire. A string stands for its UTF-8 bytes. */
export type RawBody = Uint8Array | ArrayBuffer | string

/**
 * A view of the body's bytes, still shared with the caller: copy it before the first await.
 *
 * @throws {WebhookVerificationError} `body_not_raw` or `body_too_large`.
 */
export function bodyBytes(rawBody: unknown, maxBodyBytes: number): Uint8Array {
  const bytes = typeof rawBody === 'string' ? encodeUtf8(rawBody) : binaryBytes(rawBody)
  ensure(bytes, 'body_not_raw', 'The body is already parsed. Pass its raw bytes or exact text.')
  checkBodySize(bytes.length, maxBodyBytes)
  return bytes
}

/** By tag and not by `instanceof`, so that bytes of another realm (a test runner's, a frame's) count too. */
export function binaryBytes(value: unknown): Uint8Array | null {
  const tag = tagOf(value)
  const view = value as Uint8Array
  if (tag === 'Uint8Array') return new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  return tag === 'ArrayBuffer' ? new Uint8Array(value as ArrayBuffer) : null
}

/** Such as `Object`, of anything that JSON.parse makes of `{}`. */
export const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1)

/** @throws {WebhookVerificationError} `body_too_large`. */
export function checkBodySize(length: number, maxBodyBytes: number): void {
  ensure(length <= maxBodyBytes, 'body_too_large', `The body is above maxBodyBytes, ${maxBodyBytes}.`)
}

/**
 * Parses a verified body.
 *
 * @throws {WebhookVerificationError} `body_not_utf8` or `body_not_json`.
 */
export function parseJson(body: Uint8Array): unknown {
  let form: 'UTF-8' | 'JSON' = 'UTF-8'
  try {
    // `ignoreBOM` keeps a byte order mark, which JSON does not allow: otherwise two byte strings would read the same.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    form = 'JSON'
    return JSON.parse(text)
  } catch (cause) {
    const code = form === 'JSON' ? 'body_not_json' : 'body_not_utf8'
    ensure(false, code, `The signed body is not valid ${form}.`, cause)
  }
}
