import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'

/**
 * A shell that cleans up after this process, however it ends. Its script gets the target as `$1`, and a line
 * for each watched process: the id when it runs, `-` and the id once it has ended. The input ends when this
 * process does.
 */
export class EndGuard {
  readonly #input: Socket
  readonly #ended: Promise<unknown>
  readonly #ref: () => void

  constructor(script: string, what: string) {
    // In its own session, which a keyboard interrupt does not reach.
    const shell = spawn('/bin/sh', ['-c', script, 'guard', what], {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    this.#ended = once(shell, 'exit')
    this.#input = shell.stdin as Socket
    this.#ref = () => shell.ref()
    // Neither keeps this process alive.
    shell.unref()
    this.#input.unref()
  }

  watch(pid: number, ended: Promise<unknown>): void {
    this.#input.write(`${pid}\n`)
    void ended.then(() => {
      if (this.#input.writable) this.#input.write(`-${pid}\n`)
    })
  }

  /** Ends the input, and resolves when the script has finished. */
  async release(): Promise<void> {
    this.#ref()
    this.#input.end()
    await this.#ended
  }
}
