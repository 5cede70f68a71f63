import type { Clock, Timer } from '../../../src/core/clock.ts'
import type { VirtualClock } from './virtualClock.ts'

/**
 * How far the clock of a machine is ahead, ms. It does not change when a process ends and another one starts.
 */
export interface ClockError {
  aheadMs: number
}

/** The clock of the machine that a process runs on: it may be set, and the machine may be suspended. */
export class MachineClock implements Clock {
  readonly #world: VirtualClock
  readonly #startedAt: number
  readonly #run: (callback: () => void) => void
  readonly #error: Readonly<ClockError>
  /** Monotonic time stands still while the machine is suspended. */
  #suspendedMs = 0
  #suspendedAt: number | null = null

  /** @param run calls back as soon as the process can; never once it is dead */
  constructor(world: VirtualClock, error: Readonly<ClockError>, run: (callback: () => void) => void) {
    this.#world = world
    this.#error = error
    this.#startedAt = world.monotonic()
    this.#run = run
  }

  now(): number {
    return this.#world.now() + this.#error.aheadMs
  }

  monotonic(): number {
    return (this.#suspendedAt ?? this.#world.monotonic()) - this.#startedAt - this.#suspendedMs
  }

  after(delayMs: number, callback: () => void): Timer {
    const dueAt = this.monotonic() + Math.max(0, delayMs)
    let canceled = false
    let timer: Timer
    const fire = () => {
      if (canceled) return
      const left = dueAt - this.monotonic()
      if (left > 0) arm(left)
      else callback()
    }
    const arm = (ms: number) => {
      timer = this.#world.after(ms, () => this.#run(fire))
    }
    arm(delayMs)
    return {
      cancel() {
        canceled = true
        timer.cancel()
      },
    }
  }

  suspend(): void {
    this.#suspendedAt ??= this.#world.monotonic()
  }

  resume(): void {
    if (this.#suspendedAt === null) return
    this.#suspendedMs += this.#world.monotonic() - this.#suspendedAt
    this.#suspendedAt = null
  }
}
