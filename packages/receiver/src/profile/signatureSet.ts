import { type Field, type SignatureParts, sameFact } from './parts.ts'
import { namesIn, type Part } from './template.ts'

type Content = readonly Part<Field>[]

/** @param mistake completes "The content {mistake}" */
interface WeakSignature {
  readonly index: number
  readonly mistake: string
}

/**
 * One matching signature is enough, so an attacker chooses which one a request keeps, and under which label. Each must
 * therefore prove all that the others prove, and must not pass for another one.
 *
 * @returns the first active signature that does not; `null`: there is none
 */
export function findWeakSignature(
  parts: readonly SignatureParts[],
  plans: readonly { readonly isActive: boolean; readonly content: Content }[],
): WeakSignature | null {
  for (const [index, { content, isActive }] of plans.entries()) {
    if (!isActive) continue
    for (const [i, other] of plans.entries()) {
      if (i === index || !other.isActive) continue
      const missing = missingIn(content, other.content)
      if (missing.length > 0) return { index, mistake: lacks(missing) }
      if (i < index && haveSameKey(parts[i]!, parts[index]!) && mayBeEqual(content, other.content))
        return { index, mistake: LOOKS_ALIKE }
    }
  }
  return null
}

const LOOKS_ALIKE =
  'must equal that of the other signature or begin with a different text: both use the same key, so one could be sent as the other'

function lacks(fields: readonly Field[]): string {
  const names = fields.map((field) => `{${field}}`).join(', ')
  return `must sign the same values as the other signature, or the weaker one decides; missing: ${names}`
}

function missingIn(content: Content, other: Content): Field[] {
  const signed = namesIn(content)
  return [...new Set(namesIn(other))].filter((field) => !signed.some((one) => sameFact(one, field)))
}

/** The same secret makes the same key for both. */
function haveSameKey(one: SignatureParts, other: SignatureParts): boolean {
  return one.algorithm === other.algorithm && one.secret === other.secret
}

/** Whether the same bytes could be the content of both, with values that differ. */
function mayBeEqual(one: Content, other: Content): boolean {
  const [start, otherStart] = [textOf(one[0]), textOf(other[0])]
  if (!start.startsWith(otherStart) && !otherStart.startsWith(start)) return false
  const isSame = (part: Part<Field>, i: number) => {
    const match = other[i]
    if (typeof part === 'string' || typeof match === 'string' || match === undefined) return part === match
    return sameFact(part.name, match.name)
  }
  return one.length !== other.length || !one.every(isSame)
}

const textOf = (part: Part<Field> | undefined) => (typeof part === 'string' ? part : '')
