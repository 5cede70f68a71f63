import { ensureSetup } from './core/errors.ts'
import { createFreshnessCheck, refuseTimeOptions } from './core/freshness.ts'
import type { Scheme, SchemeOptions } from './core/scheme.ts'
import type { ProfileDocument } from './profile/document.ts'
import { type AnyProfileEvent, bodyReader, type ProfileEnvelope } from './profile/event.ts'
import { configurationError } from './profile/json.ts'
import { readKeys } from './profile/keys.ts'
import type { ProfileParts } from './profile/parts.ts'
import { readProfile } from './profile/read.ts'
import {
  headerFacts,
  type VerifiedProfileEvent,
  type VerifiedProfileMessage,
  verifiedOf,
} from './profile/verified.ts'
import { createVerifier } from './profile/verifier.ts'

export type { ProfileDocument, ProfileEnvelopeMember, ProfileSignature } from './profile/document.ts'
export type { AnyProfileEvent, ProfileEnvelope, ProfileEvent } from './profile/event.ts'
export type { VerifiedProfileEvent, VerifiedProfileMessage } from './profile/verified.ts'

/** @typeParam Event such as the type that `posthorn service types` prints */
export type ProfileScheme<Event extends ProfileEnvelope<string | null, unknown> = AnyProfileEvent> = Scheme<
  VerifiedProfileEvent<Event>,
  VerifiedProfileMessage
>

/** Of a profile that does not sign its requests. */
export type UnsignedProfileScheme<Event extends ProfileEnvelope<string | null, unknown> = AnyProfileEvent> =
  ProfileScheme<Event> & { readonly unsigned: true }

/**
 * The scheme of a service, for `createReceiver`.
 *
 * @param profile the JSON document of the service, as its operator writes it
 * @param options `acceptUnsigned: true` says that forged requests are acceptable, for a profile that does not sign its requests
 * @throws {ReceiverConfigurationError} `profile_invalid` or `profile_unsigned`; the rest is checked with the secrets
 */
export function profileScheme<Event extends ProfileEnvelope<string | null, unknown> = AnyProfileEvent>(
  profile: ProfileDocument,
): ProfileScheme<Event>
export function profileScheme<Event extends ProfileEnvelope<string | null, unknown> = AnyProfileEvent>(
  profile: ProfileDocument,
  options: { readonly acceptUnsigned: true },
): UnsignedProfileScheme<Event>
export function profileScheme(
  profile: ProfileDocument,
  { acceptUnsigned }: { readonly acceptUnsigned?: boolean } = {},
): ProfileScheme {
  const parts = readProfile(profile)
  const isSigned = parts.signatures.length > 0
  if (!isSigned && acceptUnsigned !== true) {
    throw configurationError(
      'profile_unsigned',
      'The profile does not sign requests, so anyone can forge them. To accept that, set acceptUnsigned: true.',
      '/unsigned',
    )
  }
  ensureSetup(
    !isSigned || !acceptUnsigned,
    'option_unsupported',
    'acceptUnsigned is for profiles that do not sign requests. This one does: remove acceptUnsigned.',
  )
  return schemeOf(parts)
}

function schemeOf(parts: ProfileParts): ProfileScheme {
  const readBody = bodyReader(parts.envelope)
  return {
    open(options) {
      const verifier = createVerifier(parts, keysFor(parts, options))
      const checkFreshness = verifier.signsTime ? createFreshnessCheck(options) : refuseTimeOptions(options)
      return (headers) => {
        const request = verifier.read(headers, checkFreshness)
        const said = headerFacts(request)
        return {
          verify: (body) => verifier.verify(request, body),
          toVerified: (body) => verifiedOf(parts, said, readBody(body)),
          toMessage: (body) => ({ ...said, body }),
        }
      }
    },
  }
}

function keysFor(parts: ProfileParts, options: SchemeOptions): Uint8Array[][] {
  if (parts.signatures.length > 0) return readKeys(parts, options)
  ensureSetup(
    options.secrets === undefined && options.minKeyBytes === undefined,
    'option_unsupported',
    'The profile does not sign requests, so secrets are not used. Remove them.',
  )
  return []
}
