import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { ReceivedRequest } from './receiver.ts'

/** Generous for a connection within one machine. */
const TIMEOUT_MS = 5_000

/**
 * Sends a copy of a request with one byte of its body changed, as an attacker would who has seen it. A receiver that accepts it
 * does not verify, so its other results prove nothing.
 * @param authority the certificate to trust, in PEM
 * @returns the status of the answer; `null` when there was none
 */
export async function forge(
  url: string,
  original: ReceivedRequest,
  authority: string,
): Promise<number | null> {
  const body = Buffer.from(original.body)
  const middle = body.length >> 1
  body[middle] = body[middle]! ^ 1
  // A new connection, without the headers that belong to the old one.
  const { host: _, connection: __, ...headers } = original.headers
  const forged = request(url, {
    method: 'POST',
    ca: authority,
    agent: false,
    headers: { ...headers, 'content-length': String(body.length) },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  forged.end(body)
  try {
    const [response] = (await once(forged, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode ?? null
  } catch {
    return null
  }
}
