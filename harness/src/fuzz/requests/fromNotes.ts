import fc from 'fast-check'
import type { Notes } from '../notes.ts'

/** Stands in a generated value for one that will be known when the request is sent. */
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
 * A copy with every placeholder filled in; `undefined` stands where nothing is known.
 * @param ownerOf whose values are wanted, by what they are
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
