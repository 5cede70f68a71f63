import { bodyBytes, type RawBody, readStream, type WebhookBodyStream } from './body.ts'
import { ReceiverConfigurationError, WebhookVerificationError } from './errors.ts'
import { createFreshnessCheck } from './freshness.ts'
import type { WebhookHeaders } from './headers.ts'
import {
  type ProfileReceiverOptions,
  type ReceiverOptions,
  readMaxBodyBytes,
  type ServiceReceiverOptions,
  type StandardReceiverOptions,
} from './options.ts'
import { readProfile } from './profile/read.ts'
import {
  profileProtocol,
  type VerifiedProfileEvent,
  type VerifiedProfileMessage,
} from './protocols/profile.ts'
import type { Facts, Protocol } from './protocols/protocol.ts'
import { SERVICE_PROTOCOL, type VerifiedAdsEvent, type VerifiedServiceMessage } from './protocols/service.ts'
import {
  STANDARD_PROTOCOL,
  type VerifiedContentEvent,
  type VerifiedStandardMessage,
} from './protocols/standard.ts'
import { readKeys } from './secretKeys.ts'
import { createVerifier } from './verifier.ts'

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
  /** Verifies a request and leaves its body alone, for bodies that do not have the envelope of the service. */
  verifySignature(rawBody: RawBody, headers: WebhookHeaders): Promise<Message>
}

export type StandardReceiver = Receiver<VerifiedStandardMessage, VerifiedContentEvent>
export type ServiceReceiver = Receiver<VerifiedServiceMessage, VerifiedAdsEvent>

/** Of any other service, by its profile. */
export type ProfileReceiver = Receiver<VerifiedProfileMessage, VerifiedProfileEvent>

type AnyOptions = ReceiverOptions | ProfileReceiverOptions

/**
 * A receiver of the webhooks of one endpoint. Make it once and keep it.
 *
 * @throws {ReceiverConfigurationError} for a secret, a profile or an option that cannot work.
 */
export function createReceiver(options: StandardReceiverOptions): StandardReceiver
export function createReceiver(options: ServiceReceiverOptions): ServiceReceiver
export function createReceiver(options: ProfileReceiverOptions): ProfileReceiver
export function createReceiver(options: ReceiverOptions): StandardReceiver | ServiceReceiver
export function createReceiver(options: AnyOptions): StandardReceiver | ServiceReceiver | ProfileReceiver {
  checkPlatform()
  if (isForProfile(options)) return createProfileReceiver(options)
  switch (options.scheme) {
    case 'standard':
      return assemble(STANDARD_PROTOCOL, options)
    case 'service':
      return assemble(SERVICE_PROTOCOL, options)
    default:
      throw new ReceiverConfigurationError(
        'scheme_unknown',
        'scheme must be "standard" (webhook-signature) or "service" (X-Service-Signature). For other services give their profile.',
      )
  }
}

function isForProfile(options: AnyOptions): options is ProfileReceiverOptions {
  if (!('profile' in options) || options.profile === undefined) return false
  if (options.scheme === undefined) return true
  throw new ReceiverConfigurationError('option_unsupported', 'Give either scheme or profile, not both.')
}

function createProfileReceiver(options: ProfileReceiverOptions): ProfileReceiver {
  const parts = readProfile(options.profile)
  const isSigned = parts.signatures.length > 0
  const { acceptUnsigned = false } = options
  if (!isSigned && acceptUnsigned !== true) {
    throw new ReceiverConfigurationError(
      'profile_unsigned',
      'The profile does not sign requests, so anybody can forge them. To accept that, say acceptUnsigned: true.',
      { pointer: '/unsigned' },
    )
  }
  if (isSigned && acceptUnsigned) {
    throw new ReceiverConfigurationError(
      'option_unsupported',
      'acceptUnsigned is for profiles that do not sign requests, and this one does. Leave it out.',
    )
  }
  return assemble(profileProtocol(parts), options)
}

function checkPlatform(): void {
  if (globalThis.crypto?.subtle !== undefined) return
  throw new ReceiverConfigurationError(
    'web_crypto_unavailable',
    'Web Crypto is missing. Use Node 20 or later, or serve the page over HTTPS.',
  )
}

function assemble<Message, Verified>(
  protocol: Protocol<Message, Verified>,
  options: AnyOptions,
): Receiver<Message, Verified> {
  const { parts, rules, toMessage, toVerified } = protocol
  const verifier = createVerifier(parts, keysFor(protocol, options), rules)
  const checkFreshness = createFreshnessCheck(options, verifier.signsTime)
  const maxBodyBytes = readMaxBodyBytes(options)

  // An async function runs up to its first await at once: `claimOf` and `verify` have read and copied all that the
  // caller could change later.
  const claimOf = (headers: WebhookHeaders) => verifier.read(headers, checkFreshness)
  const verify = (claim: ReturnType<typeof claimOf>, rawBody: unknown) =>
    verifier.verify(claim, bodyBytes(rawBody, maxBodyBytes))
  const open = ({ facts, body }: { readonly facts: Facts; readonly body: Uint8Array }) =>
    toVerified(facts, body)
  return {
    async verify(rawBody, headers) {
      return open(await verify(claimOf(headers), rawBody))
    },
    async verifyRequest(request) {
      const claim = claimOf(request.headers)
      return open(await verify(claim, await readRequestBody(request, maxBodyBytes)))
    },
    async verifySignature(rawBody, headers) {
      const { facts, body } = await verify(claimOf(headers), rawBody)
      return toMessage(facts, body.slice())
    },
  }
}

function keysFor({ parts }: Pick<Protocol<unknown, unknown>, 'parts'>, options: AnyOptions): Uint8Array[][] {
  if (parts.signatures.length > 0) return readKeys(parts, options)
  if (options.secrets === undefined && options.minKeyBytes === undefined) return []
  throw new ReceiverConfigurationError(
    'option_unsupported',
    'The profile does not sign requests, so secrets verify nothing. Leave them out.',
  )
}

function readRequestBody(request: WebhookRequest, maxBodyBytes: number): Promise<Uint8Array> {
  if (!request.bodyUsed) return readStream(request.body, maxBodyBytes)
  throw new WebhookVerificationError(
    'body_unreadable',
    'The body of the request was read already. Verify the request before anything else reads it, or pass request.clone().',
  )
}
