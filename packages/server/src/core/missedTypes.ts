/**
 * The event types of a recovery: those that the webhook subscribes to and that were requested.
 * @param own of the webhook; empty: every type @param asked as requested; empty: every type
 * @returns empty: every type; `null`: none
 */
export function missedTypes(own: readonly string[], asked: readonly string[]): readonly string[] | null {
  if (own.length === 0 || asked.length === 0) return [...own, ...asked]
  const both = own.filter((type) => asked.includes(type))
  return both.length === 0 ? null : both
}
