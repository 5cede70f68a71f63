import { bodyBytes, type RawBody, readStream, type WebhookBodyStream } from './body.ts'
import { ReceiverConfigurationError, WebhookVerificationError } from './errors.ts'
import type { WebhookHeaders } from './headers.ts'
import { createMacMatcher, type MacMatcher } from './hmac.ts'
import {
  type ReceiverOptions,
  readKeys,
  readMaxBodyBytes,
  type ServiceReceiverOptions,
  type StandardReceiverOptions,
} from './options.ts'
import type { Protocol } from './protocols/protocol.ts'
import {
  createServiceProtocol,
  type VerifiedAdsEvent,
  type VerifiedServiceMessage,
} from './protocols/service.ts'
import {
  createStandardProtocol,
  type VerifiedContentEvent,
  type VerifiedStandardMessage,
} from './protocols/standard.ts'
import { parseSignatures } from './signatures.ts'

/** What is read of a fetch `Request`. */
export interface WebhookRequest {
  readonly headers: Iterable<readonly [name: string, value: string]>
  readonly body: WebhookBodyStream | null
  readonly bodyUsed: boolean
}

/**
 * Every method rejects with a `WebhookVerificationError` unless the request is genuine, and with a
 * `ReceiverConfigurationError` when its clock is broken.
 */
export interface Receiver<Message, Verified> {
  /** Verifies a request and parses its event. The body and the headers are read before this returns. */
  verify(rawBody: RawBody, headers: WebhookHeaders): Promise<Verified>
  /** The same for a fetch `Request` whose body nothing has read. Bad headers are refused before the body is read. */
  verifyRequest(request: WebhookRequest): Promise<Verified>
  /** Verifies a request and leaves its body alone, for bodies that are not one of the two services' envelopes. */
  verifySignature(rawBody: RawBody, headers: WebhookHeaders): Promise<Message>
}

export type StandardReceiver = Receiver<VerifiedStandardMessage, VerifiedContentEvent>
export type ServiceReceiver = Receiver<VerifiedServiceMessage, VerifiedAdsEvent>

const encoder = new TextEncoder()

/**
 * A receiver of the webhooks of one endpoint. Make it once and keep it.
 *
 * @throws {ReceiverConfigurationError} for a secret or an option that cannot work.
 */
export function createReceiver(options: StandardReceiverOptions): StandardReceiver
export function createReceiver(options: ServiceReceiverOptions): ServiceReceiver
export function createReceiver(options: ReceiverOptions): StandardReceiver | ServiceReceiver
export function createReceiver(options: ReceiverOptions): StandardReceiver | ServiceReceiver {
  checkPlatform()
  switch (options.scheme) {
    case 'standard':
      return assemble(createStandardProtocol(options), options)
    case 'service':
      return assemble(createServiceProtocol(options), options)
    default:
      throw new ReceiverConfigurationError(
        'scheme_unknown',
        'scheme must be "standard" (webhook-signature) or "service" (X-Service-Signature).',
      )
  }
}

function checkPlatform(): void {
  if (globalThis.crypto?.subtle !== undefined) return
  throw new ReceiverConfigurationError(
    'web_crypto_unavailable',
    'Web Crypto is missing. Use Node 20 or later, or serve the page over HTTPS.',
  )
}

function assemble<Facts, Message, Verified>(
  protocol: Protocol<Facts, Message, Verified>,
  options: ReceiverOptions,
): Receiver<Message, Verified> {
  const maxBodyBytes = readMaxBodyBytes(options)
  const matches = createMacMatcher(protocol.scheme, readKeys(protocol.scheme, options))

  // An async function runs up to its first await at once: `claimOf` and `contentOf` have read and copied all that the
  // caller could change later.
  const claimOf = (headers: WebhookHeaders) => {
    const claim = protocol.readClaim(headers)
    return { ...claim, macs: parseSignatures(protocol.scheme, claim.signature) }
  }
  const genuineBody = async (prefix: string, rawBody: unknown, macs: readonly Uint8Array[]) => {
    const content = contentOf(prefix, bodyBytes(rawBody, maxBodyBytes))
    await checkSignature(matches, content, macs)
    return content.subarray(prefix.length)
  }
  return {
    async verify(rawBody, headers) {
      const { facts, prefix, macs } = claimOf(headers)
      return protocol.toVerified(facts, await genuineBody(prefix, rawBody, macs))
    },
    async verifyRequest(request) {
      const { facts, prefix, macs } = claimOf(request.headers)
      const rawBody = await readRequestBody(request, maxBodyBytes)
      return protocol.toVerified(facts, await genuineBody(prefix, rawBody, macs))
    },
    async verifySignature(rawBody, headers) {
      const { facts, prefix, macs } = claimOf(headers)
      return protocol.toMessage(facts, (await genuineBody(prefix, rawBody, macs)).slice())
    },
  }
}

/** The signed content in bytes, in memory of its own. The prefix is ASCII, so its length is the same in both. */
function contentOf(prefix: string, body: Uint8Array): Uint8Array {
  const content = new Uint8Array(prefix.length + body.length)
  encoder.encodeInto(prefix, content)
  content.set(body, prefix.length)
  return content
}

async function checkSignature(
  matches: MacMatcher,
  content: Uint8Array,
  claimedMacs: readonly Uint8Array[],
): Promise<void> {
  if (await matches(content, claimedMacs)) return
  throw new WebhookVerificationError(
    'signature_mismatch',
    'No signature matches the body. Either the secret is not that of this endpoint, or the body is not the raw bytes as they arrived (parsed, re-serialized or decoded on its way), or the request is forged.',
  )
}

function readRequestBody(request: WebhookRequest, maxBodyBytes: number): Promise<Uint8Array> {
  if (!request.bodyUsed) return readStream(request.body, maxBodyBytes)
  throw new WebhookVerificationError(
    'body_unreadable',
    'The body of the request was read already. Verify the request before anything else reads it, or pass request.clone().',
  )
}
