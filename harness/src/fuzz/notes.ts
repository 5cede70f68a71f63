import { remembered } from './pool.ts'

/** One value in this many belongs to another owner, if there is one. */
const FOREIGN_SHARE = 8

/** Values from answers that requests can contain: ids, cursors, entity tags. */
export class Notes {
  /** By kind and owner. */
  readonly #values = new Map<string, string[]>()
  readonly #all = new Map<string, string[]>()

  note(kind: string, owner: string, value: string): void {
    add(this.#values, `${kind} of ${owner}`, value)
    add(this.#all, kind, value)
  }

  /**
   * @param pick any number; the picked value depends on the known ones
   * @returns mostly a value of the owner; `null` when there is none
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
