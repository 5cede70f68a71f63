import { concatBytes, decodeBase64, decodeHex, encodeUtf8 } from './encoding.ts'
import { ensure, type VerificationErrorCode } from './errors.ts'
import { type HmacFacts, MAC_BYTES, MAX_ENTRIES, MAX_SIGNATURES_LENGTH } from './facts.ts'
import { createFreshnessCheck, refuseTimeOptions } from './freshness.ts'
import { readHeaders, type WebhookHeaders } from './headers.ts'
import { createHmacMatcher } from './keys.ts'
import type { Scheme } from './scheme.ts'
import { checkMinKeyBytes, readSecrets } from './secretKeys.ts'
import { keyOf } from './secrets.ts'

/** What headers hold, by their codes: `id`, `timestamp`, `event_type`, `delivery_id`, `signature`. */
type Values = Readonly<Record<string, string>>

/**
 * A scheme of HMAC over the raw body and some headers, by its facts.
 *
 * @param known what the headers say
 * @param read what the body says
 */
export function hmacScheme<Known extends object, Event extends object>(
  facts: HmacFacts,
  known: (values: Values) => Known,
  read: (body: Uint8Array, values: Values) => Event,
): Scheme<Known & Event, Known & { readonly body: Uint8Array }> {
  const { secret, signed } = facts
  return {
    open(options) {
      const { minKeyBytes = secret.minKeyBytes } = options
      if (options.minKeyBytes !== undefined) checkMinKeyBytes(minKeyBytes, secret.maxKeyBytes)
      const rule = { ...secret, minKeyBytes }
      const keys = readSecrets(options.secrets, (text) => keyOf(rule, text))
      const matches = createHmacMatcher('SHA-256', keys)
      const checkTime = signed.includes('timestamp')
        ? createFreshnessCheck(options)
        : refuseTimeOptions(options)
      return (headers) => {
        const values = readValues(facts, headers)
        checkTime?.(Number(values.timestamp) * 1000)
        const claimed = parseSignatures(facts, values.signature!)
        const prefix = signed.map((code) => `${values[code]}.`).join('')
        return {
          async verify(body) {
            const content = concatBytes([encodeUtf8(prefix)!, body])
            checkMatch(await matches(content, claimed))
            return content.subarray(prefix.length)
          },
          toVerified: (body) => ({ ...known(values), ...read(body, values) }),
          toMessage: (body) => ({ ...known(values), body }),
        }
      }
    },
  }
}

/** @throws {WebhookVerificationError} `signature_mismatch`. */
export function checkMatch(isGenuine: boolean): void {
  ensure(
    isGenuine,
    'signature_mismatch',
    'No signature matches: wrong secret, or the body was changed or forged.',
  )
}

function readValues({ headers: rules }: HmacFacts, headers: WebhookHeaders): Values {
  const found = readHeaders(headers, Object.keys(rules))
  const values: Record<string, string> = {}
  for (const [name, [code, pattern, shape]] of Object.entries(rules)) {
    const value = found.get(name)
    ensure(value !== undefined, `${code}_missing` as VerificationErrorCode, `The header ${name} is missing.`)
    const isValid = !pattern || pattern.test(value)
    ensure(isValid, `${code}_malformed` as VerificationErrorCode, `The header ${name} must be ${shape}.`)
    values[code] = value
  }
  return values
}

/** The claimed MACs. Entries of other versions, which newer senders may add, are passed over. */
function parseSignatures({ prefix, encoding, separator }: HmacFacts, text: string): Uint8Array[] {
  const entries = separator ? text.split(separator) : [text]
  const limits = `More than ${MAX_SIGNATURES_LENGTH} characters or ${MAX_ENTRIES} signatures.`
  ensure(text.length <= MAX_SIGNATURES_LENGTH, 'signature_too_long', limits)
  ensure(entries.length <= MAX_ENTRIES, 'signature_too_many_entries', limits)
  const claimed: Uint8Array[] = []
  for (const entry of entries) {
    const isKnown = entry.startsWith(prefix)
    if (!isKnown && separator && /^[^\s,]+,[^\s,]+$/.test(entry)) continue
    const mac = isKnown && (encoding === 'hex' ? decodeHex : decodeBase64)(entry.slice(prefix.length))
    ensure(
      mac && mac.length === MAC_BYTES,
      'signature_malformed',
      `The signature must be "${prefix}" and ${MAC_BYTES} bytes in ${encoding}.`,
    )
    claimed.push(mac)
  }
  ensure(claimed.length, 'signature_unsupported', `No signature begins with "${prefix}".`)
  return claimed
}
