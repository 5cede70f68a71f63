/**
 * Replaces `{name}` in all texts of a JSON value.
 * @param values the value of each name; a member that is only a name without a value is left out
 */
export function fillTexts(value: unknown, values: Readonly<Record<string, string | null>>): unknown {
  if (typeof value === 'string') return filled(value, values)
  if (Array.isArray(value)) return value.map((item) => fillTexts(item, values))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, fillTexts(member, values)] as const)
  return Object.fromEntries(members.filter(([, member]) => member !== undefined))
}

function filled(text: string, values: Readonly<Record<string, string | null>>): string | undefined {
  let result = text
  for (const [name, value] of Object.entries(values)) {
    if (value === null && text === `{${name}}`) return undefined
    result = result.replaceAll(`{${name}}`, value ?? '')
  }
  return result
}
