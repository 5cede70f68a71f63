import { WebhookVerificationError } from './errors.ts'
import type { CheckFreshness } from './freshness.ts'
import type { WebhookHeaders } from './headers.ts'
import { createMatcher } from './keys.ts'
import { contentPrefix, readClaim } from './profile/claim.ts'
import type { FieldRules } from './profile/fields.ts'
import type { Field, RequestParts } from './profile/parts.ts'
import { planOf, type SignaturePlan } from './profile/plan.ts'
import type { Facts } from './protocols/protocol.ts'
import { parseSignatures } from './signatures.ts'

/** What a request says, before its body is looked at. */
interface ReadRequest {
  readonly values: ReadonlyMap<Field, string>
  readonly timestamp: Date | null
  readonly claimed: ReadonlyMap<SignaturePlan, readonly Uint8Array[]>
}

/** Verifies the requests of one profile, whichever it is. */
export interface Verifier {
  /** Whether the signatures that can be verified cover the time. */
  readonly signsTime: boolean
  /** @throws {WebhookVerificationError} for headers that no genuine request has. */
  read(headers: WebhookHeaders, checkFreshness: CheckFreshness): ReadRequest
  /**
   * Copies the body before the first await.
   *
   * @throws {WebhookVerificationError} `signature_mismatch`.
   */
  verify(
    request: ReadRequest,
    body: Uint8Array,
  ): Promise<{ readonly facts: Facts; readonly body: Uint8Array }>
}

const OPENING_BRACE = 0x7b

const encoder = new TextEncoder()

/** @param keys for each signature of the profile */
export function createVerifier(
  parts: RequestParts,
  keys: readonly (readonly Uint8Array[])[],
  rules: FieldRules,
): Verifier {
  const isActive = parts.signatures.map((_, i) => (keys[i] ?? []).length > 0)
  const plan = planOf(parts, isActive, rules)
  const matchers = new Map(
    plan.signatures.map((signature, i) => [
      signature,
      createMatcher(parts.signatures[i]!.algorithm, keys[i] ?? []),
    ]),
  )
  return {
    signsTime: plan.signsTime,
    read(headers, checkFreshness) {
      const { values, signatures } = readClaim(plan, headers)
      const seconds = values.get('timestamp')
      const timestamp = seconds === undefined ? null : new Date(Number(seconds) * 1000)
      if (timestamp !== null) checkFreshness(timestamp.getTime())
      const claimed = parts.signatures.length === 0 ? new Map() : parseSignatures(plan, signatures)
      return { values, timestamp, claimed }
    },
    async verify({ values, timestamp, claimed }, given) {
      if (parts.signatures.length === 0) return { facts: { values, timestamp }, body: given.slice() }
      if (plan.startsObject && given[0] !== OPENING_BRACE) throw notAnObject()
      const candidates = [...claimed].map(([signature, bytes]) => {
        const prefix = contentPrefix(signature.content, values)
        return { signature, bytes, prefix, content: contentOf(prefix, given) }
      })
      for (const { signature, bytes, prefix, content } of candidates) {
        if (!(await matchers.get(signature)!(content, bytes))) continue
        return { facts: { values, timestamp }, body: content.subarray(prefix.length) }
      }
      throw new WebhookVerificationError(
        'signature_mismatch',
        'No signature matches the body. Either the secret is not that of this endpoint, or the body is not the raw bytes as they arrived (parsed, re-serialized or decoded on its way), or the request is forged.',
      )
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

function notAnObject(): WebhookVerificationError {
  return new WebhookVerificationError(
    'envelope_invalid',
    'The body must be a JSON object, since what is signed could be read in another way otherwise.',
  )
}
