/**
 * JSON with sorted object members, so that equal values give equal text. Only for values whose schema bounds their depth: it
 * recurses once per level.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = sortedEntries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`,
  )
  return `{${members.join(',')}}`
}

/** Sorts the members of an object. */
export const sortedEntries = (value: object) => Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
