import type { Clock } from '../core/clock.ts'

/** A wait that can be ended early. */
export class Pause {
  readonly #clock: Clock
  #end: (() => void) | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** One at a time. @param ms in ms, at most */
  async for(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = this.#clock.after(ms, resolve)
      this.#end = () => {
        timer.cancel()
        resolve()
      }
    })
    this.#end = null
  }

  end(): void {
    this.#end?.()
  }
}
