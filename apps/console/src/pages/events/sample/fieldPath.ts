/** A member's name, or the place of an item in a list. */
export type PathStep = string | number

export const PATH_STYLES = ['dots', 'braces', 'jsonpath'] as const
/** `data.title`, `{{data.title}}`, `$.data.title`. */
export type PathStyle = (typeof PATH_STYLES)[number]

/** Names that every tool reads without quotes. */
const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/

/**
 * Where a value stands in a body, as tools for automation want to have it. Names with dots, blanks or other signs are quoted:
 * as in JavaScript, or as RFC 9535 has it for JSONPath.
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

/** Escaped like JSON, but for which quote needs it. */
const singleQuoted = (name: string) =>
  `'${JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
