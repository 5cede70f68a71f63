import type { Described } from './operations.ts'

/** The errors of each operation that were seen. */
export class SeenCodes {
  readonly #seen = new Set<string>()

  record(id: string, code: string): void {
    this.#seen.add(`${id} ${code}`)
  }

  /**
   * Complaints: described errors that were never seen, except 5xx, and errors that were seen but not
   * described.
   */
  gaps(operations: readonly Described[]): readonly string[] {
    const described = operations.flatMap(({ id, codes }) =>
      [...codes].flatMap(([status, ofStatus]) => ofStatus.map((code) => ({ status, name: `${id} ${code}` }))),
    )
    const names = new Set(described.map(({ name }) => name))
    return [
      ...described
        .filter(({ status, name }) => status.startsWith('4') && !this.#seen.has(name))
        .map(({ name }) => `never met: ${name}`),
      ...[...this.#seen].filter((name) => !names.has(name)).map((name) => `not described: ${name}`),
    ]
  }
}
