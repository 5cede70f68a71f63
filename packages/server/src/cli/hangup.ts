/** SIGHUP, from the first moment of a start: by default it ends the process. One that came early is called back for later. */
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
