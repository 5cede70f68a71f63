/**
 * JSON with the members of every object in one order, so that equal values give equal text. Only for values whose
 * schema bounds their depth: it calls itself once for each level.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = sortedEntries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`,
  )
  return `{${members.join(',')}}`
}

/** The members of an object in one order. */
export const sortedEntries = (value: object) => Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
