import type { Described } from './operations.ts'

/** Which problems of which operations were seen. */
export class SeenCodes {
  readonly #seen = new Set<string>()

  record(id: string, code: string): void {
    this.#seen.add(`${id} ${code}`)
  }

  /** Complaints: described problems that were never met, 5xx aside, and problems that were met without being described. */
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
