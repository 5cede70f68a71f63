import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Account } from './account.ts'

/**
 * Reads the id of the process that runs, or an empty line once it has ended. The input ends when the guarded process
 * does, however that ends: then what still runs is stopped, which has happened when PostgreSQL's pid file is gone. A
 * server that was killed leaves the file, and a shared memory segment whose id is in its line 7; its connections end
 * by themselves, and may make a file while the directory is being removed.
 */
const SCRIPT = `
pid=
while read -r line; do pid=$line; done
lock=$1/data/postmaster.pid
tries=0
if [ -n "$pid" ] && kill -QUIT "$pid"; then
  while [ -e "$lock" ] && [ $tries -lt 200 ]; do sleep 0.05; tries=$((tries + 1)); done
  [ -e "$lock" ] && kill -KILL "$pid"
fi
if [ -e "$lock" ]; then
  segment=$(sed -n 7p "$lock" | awk '{ print $2 }')
  [ -n "$segment" ] && ipcrm -m "$segment"
fi
until rm -rf "$1" || [ $tries -ge 400 ]; do sleep 0.05; tries=$((tries + 1)); done
`

/** Sees to it that a server and its directory are gone after this process, even when it is killed. */
export class DirectoryGuard {
  readonly #shell: ChildProcess
  readonly #input: Socket
  readonly #ended: Promise<unknown>

  constructor(directory: string, account: Account) {
    // In a session of its own, where an interrupt from the keyboard does not reach it.
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT, 'guard', directory], {
      ...account,
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    this.#ended = once(this.#shell, 'exit')
    this.#input = this.#shell.stdin as Socket
    // Neither keeps this process from ending.
    this.#shell.unref()
    this.#input.unref()
  }

  watch(child: ChildProcess): void {
    this.#input.write(`${child.pid}\n`)
    child.once('exit', () => {
      if (this.#input.writable) this.#input.write('\n')
    })
  }

  /** Stops what runs and removes the directory. */
  async release(): Promise<void> {
    this.#shell.ref()
    this.#input.end()
    await this.#ended
  }
}
