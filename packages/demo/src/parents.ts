import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const LOOK_EVERY_MS = 500
const IS_SHELL = /\b(ba|da|z)?sh$/

/**
 * Calls `end` once the process that started this one has ended. A killed npm passes no signal on; without this, the
 * service would keep running in the background.
 */
export function whenParentEnds(end: () => void): { stop(): void } {
  const parent = process.ppid
  let starter: number | null = null
  void parentOfShell(parent).then((pid) => {
    starter = pid
  })
  const look = () => {
    if (process.ppid !== parent || (starter !== null && !isAlive(starter))) end()
  }
  const timer = setInterval(look, LOOK_EVERY_MS).unref()
  return { stop: () => clearInterval(timer) }
}

/** npm starts a shell that starts this process, and the shell outlives npm. @returns `null` if there is no shell */
async function parentOfShell(pid: number): Promise<number | null> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'ppid=,comm=', '-p', String(pid)])
    const [parent, program] = stdout.trim().split(/\s+/)
    return IS_SHELL.test(program!) ? Number(parent) : null
  } catch {
    return null
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
