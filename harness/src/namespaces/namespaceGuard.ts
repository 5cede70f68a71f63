import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'

/**
 * Waits for the end of its input, which comes when the guarded process ends, however that happens; then removes every
 * namespace and link whose name begins as it is told, and ends what runs in there.
 */
const SCRIPT = `
while read -r line; do :; done
for name in $(ip netns list | cut -d ' ' -f 1 | grep "^$1"); do
  for pid in $(ip netns pids "$name"); do kill -KILL "$pid"; done
  ip netns del "$name"
done
for name in $(ip -o link | cut -d ' ' -f 2 | cut -d @ -f 1 | cut -d : -f 1 | grep "^$1"); do
  ip link del "$name"
done
`

/** Sees to it that nothing is left of namespaces and links after this process. */
export class NamespaceGuard {
  readonly #input: Socket
  readonly #ended: Promise<unknown>
  readonly #ref: () => void

  /** @param prefix of their names */
  constructor(prefix: string) {
    // In a session of its own, where an interrupt from the keyboard does not reach it.
    const shell = spawn('/bin/sh', ['-c', SCRIPT, 'guard', prefix], {
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

  /** Removes them now. */
  async release(): Promise<void> {
    this.#ref()
    this.#input.end()
    await this.#ended
  }
}
