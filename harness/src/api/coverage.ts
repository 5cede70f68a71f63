import type { Operation } from './operation.ts'

/** A described answer that tests cannot trigger. */
export interface Unprovoked {
  readonly status: string
  /** All operations that describe the status, if omitted. */
  readonly operation?: string
  readonly reason: string
}

const SEEN = '✓'
const UNSEEN = '·'

/** Which described answers of which operations were seen. */
export class Coverage {
  readonly #operations: readonly Operation[]
  readonly #seen = new Map<string, Set<string>>()

  constructor(operations: readonly Operation[]) {
    this.#operations = operations
  }

  record(operation: Operation, status: number): void {
    const seen = this.#seen.get(operation.id) ?? new Set()
    this.#seen.set(operation.id, seen.add(String(status)))
  }

  /** Operations in rows, statuses in columns; empty where a status is neither described nor seen. */
  table(): string {
    const statuses = [...new Set(this.#operations.flatMap((operation) => this.#statusesOf(operation)))].sort()
    const rows = this.#operations.map((operation) => {
      const marks = statuses.map((status) => this.#mark(operation, status).padEnd(status.length))
      return [operation.id, ...marks]
    })
    const width = Math.max(...this.#operations.map(({ id }) => id.length))
    return [['', ...statuses], ...rows]
      .map(([name = '', ...cells]) => [name.padEnd(width), ...cells].join('  ').trimEnd())
      .join('\n')
  }

  /** Complaints: operations never called, 2xx and 4xx never seen, and unused exceptions. */
  gaps(exceptions: readonly Unprovoked[]): readonly string[] {
    const used = new Set<Unprovoked>()
    const gaps = this.#operations.flatMap((operation) => {
      if (!this.#seen.has(operation.id)) return [`${operation.id} was never called`]
      return [...operation.responses.keys()]
        .filter((status) => /^[24]/.test(status) && !this.#isSeen(operation, status))
        .filter((status) => {
          const exception = exceptions.find((one) => excuses(one, operation, status))
          if (exception !== undefined) used.add(exception)
          return exception === undefined
        })
        .map((status) => `${operation.id} never answered ${status}`)
    })
    const stale = exceptions
      .filter((exception) => !used.has(exception))
      .map(({ operation = 'every operation', status }) => `${operation} needs no exception for ${status}`)
    return [...gaps, ...stale]
  }

  /** Operations that never answered with success. */
  withoutSuccess(): readonly string[] {
    const hasSuccess = ({ id }: Operation) =>
      [...(this.#seen.get(id) ?? [])].some((status) => status[0] === '2')
    return this.#operations.filter((operation) => !hasSuccess(operation)).map(({ id }) => id)
  }

  #statusesOf(operation: Operation): readonly string[] {
    return [...operation.responses.keys(), ...(this.#seen.get(operation.id) ?? [])]
  }

  #isSeen({ id }: Operation, status: string): boolean {
    const seen = this.#seen.get(id) ?? new Set()
    return /^\dXX$/.test(status) ? [...seen].some((one) => one[0] === status[0]) : seen.has(status)
  }

  #mark(operation: Operation, status: string): string {
    const isDescribed = operation.responses.has(status)
    if (!isDescribed) return this.#seen.get(operation.id)?.has(status) === true ? SEEN : ''
    return this.#isSeen(operation, status) ? SEEN : UNSEEN
  }
}

const excuses = (exception: Unprovoked, operation: Operation, status: string) =>
  exception.status === status && (exception.operation ?? operation.id) === operation.id
