import type { SignatureScheme } from './profile.ts'
import type { Parts } from './templates.ts'

const DIGITS = /^[0-9]+$/
const DATES = /^[0-9TZ:.-]+$/
const NAMES = /^[\w.:~-]+$/
const ENCODED = /[A-Za-z0-9+/=]/

/** Whether a text could be part of the value of a placeholder. */
function isWithin(text: string, name: string, signatures: readonly SignatureScheme[]): boolean {
  if (name === 'timestamp' || name === 'attempt') return DIGITS.test(text)
  if (name === 'timestamp:iso') return DATES.test(text)
  if (name !== 'signatures') return NAMES.test(text)
  const written = signatures.map(({ each, join = '' }) => each + join).join('')
  return [...text].every((sign) => ENCODED.test(sign) || written.includes(sign))
}

/**
 * Finds a value in a header whose end receivers cannot find, since the text after it could be part of it. In a header with one
 * value, the value lies between the fixed start and end.
 * @param parts of the header
 * @returns the placeholder; `null`: all values can be separated
 */
export function valueWithoutEnd(parts: Parts, signatures: readonly SignatureScheme[]): string | null {
  if (parts.filter((part) => typeof part !== 'string').length < 2) return null
  for (const [at, part] of parts.entries()) {
    const next = parts[at + 1]
    if (typeof part === 'string' || next === undefined) continue
    if (typeof next !== 'string' || isWithin(next, part.name, signatures)) return part.name
  }
  return null
}
