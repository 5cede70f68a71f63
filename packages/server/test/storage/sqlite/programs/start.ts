import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Program {
  readonly pid: number
  /** Its output so far. */
  readonly lines: readonly string[]
  /** Resolves once it has printed this many lines. */
  readonly said: (lines: number) => Promise<void>
  /** SIGKILL; resolves once the process is gone and its whole output is in `lines`. */
  readonly kill: () => Promise<void>
}

/** Starts one of the programs next to this file in its own process. */
export function start(program: URL, args: readonly string[]): Program {
  const argv = ['--import', 'tsx', fileURLToPath(program), ...args]
  const child: ChildProcess = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  const output = createInterface({ input: child.stdout! })
  output.on('line', (line) => lines.push(line))
  const ended = once(output, 'close')
  return {
    pid: child.pid!,
    lines,
    async said(count) {
      while (lines.length < count) {
        const more = await Promise.race([once(output, 'line'), ended.then(() => null)])
        if (more === null && lines.length < count) throw new Error(`ended after: ${lines.join(' | ')}`)
      }
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
