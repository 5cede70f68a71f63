import { bodyBytes, type RawBody } from './body.ts'
import { ensureSetup } from './errors.ts'
import type { WebhookHeaders } from './headers.ts'
import { readMaxBodyBytes } from './options.ts'
import { readRequest, requestHeaders, type WebhookRequest } from './request.ts'
import type { Claim, Scheme, SchemeOptions } from './scheme.ts'

/**
 * Every method rejects with a `WebhookVerificationError` unless the request is genuine, and with a
 * `ReceiverConfigurationError` when its clock is broken.
 */
export interface Receiver<Verified, Message = unknown> {
  /**
   * Verifies a request and parses its event: a fetch `Request` or a request of node:http whose body nothing has read.
   * Bad headers are rejected before the body is read.
   */
  verify(request: WebhookRequest): Promise<Verified>
  /** The same for a body that is read already. Body and headers are copied before this returns. */
  verify(rawBody: RawBody, headers: WebhookHeaders): Promise<Verified>
  /** Verifies a request without parsing its body, for bodies that do not have the envelope of the service. */
  verifySignature(request: WebhookRequest): Promise<Message>
  verifySignature(rawBody: RawBody, headers: WebhookHeaders): Promise<Message>
}

/** @throws {ReceiverConfigurationError} for a secret or an option that cannot work. */
export function receiverOf<Verified, Message>(
  scheme: Scheme<Verified, Message>,
  options: SchemeOptions,
): Receiver<Verified, Message> {
  ensureSetup(
    globalThis.crypto?.subtle,
    'web_crypto_unavailable',
    'Web Crypto is missing: use Node 20 or HTTPS.',
  )
  const read = scheme.open(options)
  const maxBodyBytes = readMaxBodyBytes(options)
  // An async function runs up to its first await at once: with a body given, all that the caller could change later has
  // been read and copied by then.
  const verified =
    <Result>(pick: (claim: Claim<Verified, Message>, body: Uint8Array) => Result) =>
    async (given: RawBody | WebhookRequest, headers?: WebhookHeaders): Promise<Result> => {
      // By its shape, since requests come from many realms and libraries. No body has headers.
      const request =
        headers === undefined && (given as WebhookRequest | null)?.headers ? (given as WebhookRequest) : null
      const claim = read(request ? requestHeaders(request) : headers!)
      const body = request ? await readRequest(request, maxBodyBytes) : bodyBytes(given, maxBodyBytes)
      return pick(claim, await claim.verify(body))
    }
  return {
    verify: verified((claim, body) => claim.toVerified(body)),
    verifySignature: verified((claim, body) => claim.toMessage(body.slice())),
  }
}
