/**
 * JSON with the members of every object in one order, so that equal values give equal text. Only for values whose
 * schema bounds their depth: it calls itself once for each level.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`)
  return `{${members.join(',')}}`
}

/** Whether the JSON of a value takes more than `limitBytes` in UTF-8. Adds up an upper bound before it measures. */
export function jsonExceeds(value: unknown, limitBytes: number): boolean {
  return upperBound(value) > limitBytes && Buffer.byteLength(JSON.stringify(value)) > limitBytes
}

/** A character takes at most six bytes (`\u0000`), a number at most 25. */
function upperBound(value: unknown): number {
  if (typeof value === 'string') return value.length * 6 + 2
  if (typeof value !== 'object' || value === null) return 25
  let bytes = 2
  if (Array.isArray(value)) for (const item of value) bytes += upperBound(item) + 1
  else for (const [name, member] of Object.entries(value)) bytes += name.length * 6 + 4 + upperBound(member)
  return bytes
}
