const NS_PER_SECOND = 1e9

/**
 * Instants at an even distance, on the machine's monotonic clock in ns. The n-th does not depend on when
 * earlier ones were taken, so a late caller catches up.
 */
export class FixedRateSchedule {
  readonly #startNs: number
  readonly #perSecond: number
  #met = 0

  /** @param perSecond greater than 0 */
  constructor(perSecond: number, startNs: number) {
    this.#perSecond = perSecond
    this.#startNs = startNs
  }

  get nextNs(): number {
    return Math.round(this.#startNs + (this.#met * NS_PER_SECOND) / this.#perSecond)
  }

  /** Takes all that are due. @returns them, the oldest first */
  take(nowNs: number): number[] {
    const due: number[] = []
    while (this.nextNs <= nowNs) {
      due.push(this.nextNs)
      this.#met += 1
    }
    return due
  }
}

/** Starts schedules so that they are not all due at the same instants. */
export function spread(perSecond: readonly number[], startNs: number): FixedRateSchedule[] {
  return perSecond.map(
    (rate, position) =>
      new FixedRateSchedule(rate, startNs + (position / perSecond.length) * (NS_PER_SECOND / rate)),
  )
}
