/** A member's name, or the index of an item. */
export type PathStep = string | number

export const PATH_STYLES = ['dots', 'braces', 'jsonpath'] as const
/** `data.title`, `{{data.title}}`, `$.data.title`. */
export type PathStyle = (typeof PATH_STYLES)[number]

/** Names that need no quotes. */
const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/

/**
 * Path of a value in a body, in the format of an automation tool. Names with special characters are quoted as in JavaScript
 * or, for JSONPath, as in RFC 9535.
 */
export function fieldPath(steps: readonly PathStep[], style: PathStyle): string {
  if (style === 'jsonpath') return `$${steps.map((step) => stepText(step, true, singleQuoted)).join('')}`
  const path = steps.map((step, place) => stepText(step, place > 0, JSON.stringify)).join('')
  return style === 'braces' ? `{{${path}}}` : path
}

function stepText(step: PathStep, dot: boolean, quoted: (name: string) => string): string {
  if (typeof step === 'number') return `[${step}]`
  if (!PLAIN.test(step)) return `[${quoted(step)}]`
  return dot ? `.${step}` : step
}

/** Escaped like JSON, but in single quotes. */
const singleQuoted = (name: string) =>
  `'${JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
