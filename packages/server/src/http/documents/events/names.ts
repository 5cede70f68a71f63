import { pascalCase } from '../../../profiles/eventForm.ts'

/** Names that are each given once. */
export class Names {
  readonly #taken = new Set<string>()
  /** The last number that was given to a name. */
  readonly #counts = new Map<string, number>()

  /** Takes the first of these names that is free, or the last one with a number. */
  take(...wanted: readonly string[]): string {
    const last = wanted.at(-1)!
    let name = wanted.find((one) => !this.#taken.has(one))
    for (let count = (this.#counts.get(last) ?? 1) + 1; name === undefined; count++) {
      this.#counts.set(last, count)
      if (!this.#taken.has(`${last}${count}`)) name = `${last}${count}`
    }
    this.#taken.add(name)
    return name
  }
}

/** What names of schemas and operations begin with: `version.approved` → `VersionApproved`. */
export function nameOf(type: string): string {
  const name = pascalCase(type)
  return /^[A-Z]/.test(name) ? name : `Type${name}`
}
