import { decodeBase64, decodeHex } from './encoding.ts'
import { WebhookVerificationError } from './errors.ts'
import type { SignatureScheme } from './schemes.ts'

// An entry of another version, such as `v1a,…`: a label and a value.
const OTHER_ENTRY = /^[^\s,]+,[^\s,]+$/

/**
 * The MACs that a signature header claims, at most `scheme.signature.maxEntries`.
 *
 * @throws {WebhookVerificationError} `signature_too_long`, `signature_too_many_entries`, `signature_malformed` or
 *   `signature_unsupported`.
 */
export function parseSignatures(scheme: SignatureScheme, header: string): Uint8Array[] {
  const { maxLength, maxEntries, separator, prefix } = scheme.signature
  const name = scheme.headers.signature
  if (header.length > maxLength) {
    throw new WebhookVerificationError(
      'signature_too_long',
      `The header ${name} has ${header.length} characters; at most ${maxLength} are read.`,
    )
  }
  const entries = separator === null ? [header] : header.split(separator)
  if (entries.length > maxEntries) {
    throw new WebhookVerificationError(
      'signature_too_many_entries',
      `The header ${name} has ${entries.length} entries; at most ${maxEntries} are read.`,
    )
  }
  const macs = entries.map((entry) => parseEntry(scheme, entry)).filter((mac) => mac !== null)
  if (macs.length === 0) {
    throw new WebhookVerificationError(
      'signature_unsupported',
      `The header ${name} has no entry that begins with "${prefix}", the only kind that can be verified here.`,
    )
  }
  return macs
}

/** `null` for an entry of another version, which newer senders may add. */
function parseEntry(scheme: SignatureScheme, entry: string): Uint8Array | null {
  const { prefix, encoding, separator } = scheme.signature
  if (entry.startsWith(prefix)) {
    const text = entry.slice(prefix.length)
    const mac = encoding === 'base64' ? decodeBase64(text) : decodeHex(text)
    if (mac?.length === scheme.macBytes) return mac
  } else if (separator !== null && OTHER_ENTRY.test(entry)) {
    return null
  }
  const spelling = encoding === 'hex' ? 'lower-case hex' : 'standard base64 with its padding'
  throw new WebhookVerificationError(
    'signature_malformed',
    `The header ${scheme.headers.signature} is malformed: an entry is "${prefix}" and ${scheme.macBytes} bytes in ${spelling}.`,
  )
}
