/** Wakes tests that wait for a condition, so that they need not poll. */
export class Signal {
  #wake: (() => void)[] = []

  /** Call it after each change that a condition may depend on. */
  fire(): void {
    const wake = this.#wake
    this.#wake = []
    for (const each of wake) each()
  }

  /** Resolves once `condition` holds. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#wake.push(resolve))
  }
}
