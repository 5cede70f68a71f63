/** Catches SIGHUP from the beginning of a start: by default it ends the process. A signal before `onSignal` is kept until then. */
export class Hangup {
  #came = false
  #callback: (() => void) | null = null

  constructor() {
    process.on('SIGHUP', () => {
      if (this.#callback === null) this.#came = true
      else this.#callback()
    })
  }

  onSignal(callback: () => void): void {
    this.#callback = callback
    if (this.#came) callback()
    this.#came = false
  }
}
