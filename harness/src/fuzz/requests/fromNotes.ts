import fc from 'fast-check'
import type { Notes } from '../notes.ts'

/** Placeholder in a generated value for one that is known only when the request is sent. */
export class FromNotes {
  readonly kind: string
  readonly pick: number

  constructor(kind: string, pick: number) {
    this.kind = kind
    this.pick = pick
  }
}

export const fromNotes = (kind: string): fc.Arbitrary<FromNotes> =>
  fc.nat(10_000).map((pick) => new FromNotes(kind, pick))

/**
 * A copy with every placeholder filled in; `undefined` where no value is known.
 * @param ownerOf the wanted owner, by kind of value
 */
export function filledIn(value: unknown, notes: Notes, ownerOf: (kind: string) => string): unknown {
  if (value instanceof FromNotes) return notes.value(value.kind, ownerOf(value.kind), value.pick) ?? undefined
  if (Array.isArray(value)) {
    return value.map((item) => filledIn(item, notes, ownerOf)).filter((item) => item !== undefined)
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, filledIn(member, notes, ownerOf)])
      .filter(([, member]) => member !== undefined),
  )
}
