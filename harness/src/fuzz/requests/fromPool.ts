import fc from 'fast-check'
import type { Pool } from '../pool.ts'

/** Stands in a generated value for one that will be known when the request is sent. */
export class FromPool {
  readonly kind: string
  readonly pick: number
  /** Taken when nothing of the kind is known yet. */
  readonly otherwise: string

  constructor(kind: string, pick: number, otherwise: string) {
    this.kind = kind
    this.pick = pick
    this.otherwise = otherwise
  }
}

export const fromPool = (kind: string, otherwise: string): fc.Arbitrary<FromPool> =>
  fc.nat(10_000).map((pick) => new FromPool(kind, pick, otherwise))

/** A copy with every placeholder filled in. */
export function filledIn(value: unknown, pool: Pool): unknown {
  if (value instanceof FromPool) return pool.value(value.kind, value.pick) ?? value.otherwise
  if (Array.isArray(value)) return value.map((item) => filledIn(item, pool))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filledIn(member, pool)]))
}
