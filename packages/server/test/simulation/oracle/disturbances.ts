/** A period in which faults excuse delays; milliseconds from the start of the simulation. */
export type Disturbance = readonly [from: number, to: number]

/** Times are Unix ms. */
export class Disturbances {
  readonly #spans: readonly Disturbance[]
  readonly #startedAt: number

  constructor(spans: readonly Disturbance[], startedAt: number) {
    this.#spans = spans
    this.#startedAt = startedAt
  }

  /** Whether there was no fault from `from` to `to`. */
  isCalm(from: number, to: number): boolean {
    return this.#spans.every(([first, last]) => to < first + this.#startedAt || from > last + this.#startedAt)
  }
}
