import type { RawRequest } from './rawSender.ts'

interface Addressed {
  /** Of the service. */
  readonly url: string
  readonly path: string
  readonly key: string
}

/**
 * A whole POST, ready to be written.
 * @param unsentBytes number of bytes at the end of the body that are announced but not sent
 */
export function rawRequest(
  { url, path, key }: Addressed,
  name: string,
  body: string | Buffer,
  unsentBytes = 0,
): RawRequest {
  const bytes = Buffer.from(body)
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${new URL(url).host}`,
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${bytes.length}`,
  ]
  const sent = bytes.subarray(0, bytes.length - unsentBytes)
  return { name, bytes: Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), sent]) }
}
