import { concatBytes, encodeUtf8 } from '../core/encoding.ts'
import { ensure } from '../core/errors.ts'
import type { CheckFreshness } from '../core/freshness.ts'
import type { WebhookHeaders } from '../core/headers.ts'
import { checkMatch } from '../core/hmacScheme.ts'
import { createHmacMatcher, type Matcher } from '../core/keys.ts'
import { contentPrefix, readClaim } from './claim.ts'
import { FIELD_RULES } from './fields.ts'
import { createKeyPairMatcher } from './keyPairs.ts'
import { ALGORITHMS, type Field, type RequestParts } from './parts.ts'
import { type Plan, planOf, type SignaturePlan } from './plan.ts'
import { parseSignatures } from './signatures.ts'

/** What the headers of a request say. */
export interface Facts {
  readonly values: ReadonlyMap<Field, string>
  /** `null`: no time is signed. */
  readonly timestamp: Date | null
}

/** What a request says, before its body is looked at. */
interface ReadRequest extends Facts {
  readonly claimed: ReadonlyMap<SignaturePlan, readonly Uint8Array[]>
}

/** Verifies the requests of one profile, whichever it is. */
export interface Verifier {
  /** Whether the signatures that can be verified cover the time. */
  readonly signsTime: boolean
  /** @throws {WebhookVerificationError} for headers that no genuine request has. */
  read(headers: WebhookHeaders, checkFreshness: CheckFreshness | null): ReadRequest
  /**
   * Copies the body before the first await.
   *
   * @returns the verified body
   * @throws {WebhookVerificationError} `signature_mismatch`.
   */
  verify(request: ReadRequest, body: Uint8Array): Promise<Uint8Array>
}

const OPENING_BRACE = 0x7b

/** @param keys for each signature of the profile */
export function createVerifier(parts: RequestParts, keys: readonly (readonly Uint8Array[])[]): Verifier {
  const isActive = parts.signatures.map((_, i) => (keys[i] ?? []).length > 0)
  const plan = planOf(parts, isActive, FIELD_RULES)
  const matchers = matchersOf(plan, parts, keys)
  return {
    signsTime: plan.signsTime,
    read(headers, checkFreshness) {
      const { values, signatures } = readClaim(plan, headers)
      const seconds = values.get('timestamp')
      const timestamp = seconds === undefined ? null : new Date(Number(seconds) * 1000)
      if (timestamp !== null) checkFreshness?.(timestamp.getTime())
      const claimed = parts.signatures.length === 0 ? new Map() : parseSignatures(plan, signatures)
      return { values, timestamp, claimed }
    },
    async verify({ values, claimed }, given) {
      if (parts.signatures.length === 0) return given.slice()
      ensure(
        !plan.startsObject || given[0] === OPENING_BRACE,
        'envelope_invalid',
        'The body must be a JSON object; otherwise the signed content could be read in more than one way.',
      )
      const candidates = [...claimed].map(([signature, macs]) => {
        const prefix = encodeUtf8(contentPrefix(signature.content, values))!
        return { signature, macs, prefix, content: concatBytes([prefix, given]) }
      })
      for (const { signature, macs, prefix, content } of candidates) {
        if (await matchers.get(signature)!(content, macs)) return content.subarray(prefix.length)
      }
      checkMatch(false)
      return given
    },
  }
}

function matchersOf(
  { signatures }: Plan,
  parts: RequestParts,
  keys: readonly (readonly Uint8Array[])[],
): ReadonlyMap<SignaturePlan, Matcher> {
  return new Map(
    signatures.map((signature, i) => {
      const { hash } = ALGORITHMS[parts.signatures[i]!.algorithm]
      const own = keys[i] ?? []
      return [signature, hash === null ? createKeyPairMatcher(own) : createHmacMatcher(hash, own)]
    }),
  )
}
