import leven from 'leven'

/** With more edits than this, or edits of more than half of it, it is another name. */
const MAX_EDITS = 3

/** @returns the name that was probably meant; `null` when none is close */
export function nearestOf(name: string, known: readonly string[]): string | null {
  const [best] = known
    .map((candidate) => ({ candidate, edits: leven(name, candidate) }))
    .sort((a, b) => a.edits - b.edits)
  return best !== undefined && best.edits <= Math.min(MAX_EDITS, name.length / 2) ? best.candidate : null
}
