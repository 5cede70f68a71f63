import type { Clock } from '../../core/clock.ts'
import type { StepBounds } from '../storage.ts'

/** Of the limit. With fewer rows, what every step costs would outweigh them. */
const LEAST = 0.1
/** How much longer the next step may be than one that took less than its time. */
const GROWTH = 1.25

/** How many rows the steps of one kind of background work handle, so that each holds up the writer for as long as it may. */
export class StepSize<Params extends StepBounds, Result> {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #work: (step: Params) => Result
  readonly #isFull: (result: Result, limit: number) => boolean
  #rows = Number.POSITIVE_INFINITY

  /** @param isFull whether a step may have left something to do: one that did not says nothing of a longer one */
  constructor(params: {
    readonly clock: Pick<Clock, 'monotonic'>
    readonly work: (step: Params) => Result
    readonly isFull: (result: Result, limit: number) => boolean
  }) {
    this.#clock = params.clock
    this.#work = params.work
    this.#isFull = params.isFull
  }

  /** @param step with `holdMs`, it handles fewer rows than its limit where these took longer before */
  run(step: Params): Result {
    const { limit, holdMs } = step
    if (holdMs === undefined) return this.#work(step)
    const rows = Math.min(limit, this.#rows)
    const most = Math.ceil(rows)
    const startedAt = this.#clock.monotonic()
    const result = this.#work({ ...step, limit: most })
    const factor = holdMs / Math.max(this.#clock.monotonic() - startedAt, holdMs / 100)
    if (factor < 1 || this.#isFull(result, most))
      this.#rows = Math.max(limit * LEAST, rows * Math.min(GROWTH, factor))
    return result
  }
}
