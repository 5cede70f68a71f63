/** What is taken of a JSON value: a plain value, an object by its members, or every item of an array. */
export type Chosen = true | readonly [Chosen] | { readonly [member: string]: Chosen }

/** Copies what is named and nothing else, so that members of later releases are left out until they were reviewed. */
export function choose(chosen: Chosen, value: unknown): unknown {
  if (value === null || value === undefined) return value
  if (chosen === true) return typeof value === 'object' ? undefined : value
  if (Array.isArray(chosen))
    return Array.isArray(value) ? value.map((item) => choose(chosen[0], item)) : undefined
  if (typeof value !== 'object' || Array.isArray(value)) return undefined
  return Object.fromEntries(
    Object.entries(chosen).map(([member, inner]) => [
      member,
      choose(inner, (value as Record<string, unknown>)[member]),
    ]),
  )
}
