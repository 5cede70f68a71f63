import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'

/**
 * A shell that cleans up after this process, however that ends. Its script gets as `$1` what it is to clean up, and a line for each
 * process that is watched: the id when it runs, `-` and the id once it has ended. The input ends when this process does.
 */
export class EndGuard {
  readonly #input: Socket
  readonly #ended: Promise<unknown>
  readonly #ref: () => void

  constructor(script: string, what: string) {
    // In a session of its own, where an interrupt from the keyboard does not reach it.
    const shell = spawn('/bin/sh', ['-c', script, 'guard', what], {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    this.#ended = once(shell, 'exit')
    this.#input = shell.stdin as Socket
    this.#ref = () => shell.ref()
    // Neither keeps this process from ending.
    shell.unref()
    this.#input.unref()
  }

  watch(pid: number, ended: Promise<unknown>): void {
    this.#input.write(`${pid}\n`)
    void ended.then(() => {
      if (this.#input.writable) this.#input.write(`-${pid}\n`)
    })
  }

  /** Ends the input, and resolves when the script has come to its end. */
  async release(): Promise<void> {
    this.#ref()
    this.#input.end()
    await this.#ended
  }
}
