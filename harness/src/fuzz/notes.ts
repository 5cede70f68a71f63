import { remembered } from './pool.ts'

/** One value in this many comes from somebody else's, if there is any. */
const FOREIGN_SHARE = 8

/** Values that answers showed and that requests can hold: ids, cursors, entity tags. */
export class Notes {
  /** By what they are and to whom they belong. */
  readonly #values = new Map<string, string[]>()
  readonly #all = new Map<string, string[]>()

  note(kind: string, owner: string, value: string): void {
    add(this.#values, `${kind} of ${owner}`, value)
    add(this.#all, kind, value)
  }

  /**
   * @param pick any number; which one it picks depends on what is known
   * @returns mostly one of the owner's; `null` when there is none
   */
  value(kind: string, owner: string, pick: number): string | null {
    const own = this.#values.get(`${kind} of ${owner}`) ?? []
    const candidates = pick % FOREIGN_SHARE === 0 ? (this.#all.get(kind) ?? []) : own
    return candidates[Math.floor(pick / FOREIGN_SHARE) % candidates.length] ?? null
  }
}

function add(values: Map<string, string[]>, name: string, value: string): void {
  const known = values.get(name) ?? []
  if (!known.includes(value))
    values.set(
      name,
      remembered(known, value, () => false),
    )
}
