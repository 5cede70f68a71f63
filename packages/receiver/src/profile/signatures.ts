import { decodeBase64, decodeHex } from '../core/encoding.ts'
import { WebhookVerificationError } from '../core/errors.ts'
import type { Plan, SignaturePlan } from './plan.ts'

/** A signature that a request claims to have. */
interface Entry {
  readonly signature: SignaturePlan
  readonly bytes: Uint8Array
  /** Where the header goes on. */
  readonly end: number
}

/**
 * The signatures that a header claims, by their kind; only kinds that there is a key for.
 *
 * @throws {WebhookVerificationError} `signature_too_long`, `signature_too_many_entries`, `signature_malformed` or
 *   `signature_unsupported`.
 */
export function parseSignatures(plan: Plan, text: string): ReadonlyMap<SignaturePlan, readonly Uint8Array[]> {
  const { maxLength, maxEntries, signatureHeader: name } = plan
  if (text.length > maxLength) {
    throw new WebhookVerificationError(
      'signature_too_long',
      `The header ${name} has ${text.length} characters; at most ${maxLength} are read.`,
    )
  }
  const claimed = new Map<SignaturePlan, Uint8Array[]>()
  let entries = 0
  let at: number | null = 0
  while (at !== null) {
    entries += 1
    if (entries > maxEntries) {
      throw new WebhookVerificationError(
        'signature_too_many_entries',
        `The header ${name} has more than ${maxEntries} entries, the maximum.`,
      )
    }
    const found = entriesAt(plan, text, at)
    for (const { signature, bytes } of found) {
      if (signature.isActive) claimed.set(signature, [...(claimed.get(signature) ?? []), bytes])
    }
    at = nextEntry(plan, text, found[0]?.end ?? endOfOther(plan, text, at))
  }
  if (claimed.size > 0) return claimed
  throw new WebhookVerificationError(
    'signature_unsupported',
    `The header ${name} has no signature of the form ${formsOf(plan)}, the only kind that can be verified here.`,
  )
}

/** The well-formed signature here, for each kind that it can be of, whether there is a key for that or not. */
function entriesAt(plan: Plan, text: string, at: number): Entry[] {
  const found = plan.signatures.flatMap((signature) => entryOf(plan, signature, text, at))
  return found.filter(({ end }) => end === found[0]!.end)
}

function entryOf(plan: Plan, signature: SignaturePlan, text: string, at: number): Entry[] {
  const { before, after, encoding, textLength, bytes: length } = signature
  const start = at + before.length
  const end = start + textLength + after.length
  const hasForm = text.startsWith(before, at) && text.startsWith(after, start + textLength)
  if (!hasForm || !isBoundary(plan, text, end)) return []
  const encoded = text.slice(start, start + textLength)
  const bytes = encoding === 'base64' ? decodeBase64(encoded) : decodeHex(encoded)
  return bytes?.length === length ? [{ signature, bytes, end }] : []
}

function isBoundary({ separators }: Plan, text: string, end: number): boolean {
  return end === text.length || separators.some((separator) => text.startsWith(separator, end))
}

/** The end of an entry of another kind, which newer senders may add. */
function endOfOther(plan: Plan, text: string, at: number): number {
  const { signatures, separators } = plan
  const ends = separators
    .filter((separator) => separator !== '')
    .map((separator) => text.indexOf(separator, at))
    .filter((end) => end !== -1)
  const end = Math.min(text.length, ...ends)
  const entry = text.slice(at, end)
  const isBroken = signatures.some(({ isActive, before }) => isActive && entry.startsWith(before))
  const isOther = separators.length > 0 && signatures.some((signature) => isOtherKind(signature, entry))
  if (!isBroken && isOther) return end
  throw new WebhookVerificationError(
    'signature_malformed',
    `The header ${plan.signatureHeader} is malformed: a signature has the form ${formsOf(plan)}.`,
  )
}

/** Whether it is a label, the sign that ends the labels of a profile, and a value: `v2,…` beside `v1,…`. */
function isOtherKind({ before, after }: SignaturePlan, entry: string): boolean {
  const sign = before.at(-1)
  if (sign === undefined || after !== '' || /[A-Za-z0-9\s]/.test(sign)) return false
  // Base64 can end with this sign, which is no second label then.
  const text = sign === '=' ? entry.replace(/={1,2}$/, '') : entry
  const [label, value, more] = text.split(sign)
  return isWord(label) && isWord(value) && more === undefined
}

function isWord(text: string | undefined): boolean {
  return text !== undefined && text !== '' && !/\s/.test(text)
}

/** Where the next entry begins; `null`: this was the last one. */
function nextEntry({ separators }: Plan, text: string, end: number): number | null {
  if (end === text.length) return null
  const separator = separators.find((one) => text.startsWith(one, end)) ?? ''
  return end + separator.length
}

function formsOf({ signatures }: Plan): string {
  return signatures
    .filter(({ isActive }) => isActive)
    .map(({ before, after, bytes, encoding }) => {
      const spelling = encoding === 'hex' ? 'lower-case hex' : 'standard base64 with its padding'
      return `"${before}", ${bytes} bytes in ${spelling}${after === '' ? '' : `, "${after}"`}`
    })
    .join(' or ')
}
