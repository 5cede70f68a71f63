import { execFileSync } from 'node:child_process'
import os from 'node:os'

/** What holds for all scenarios that one command runs. */
export interface AtStart {
  /** ISO 8601. */
  readonly startedAt: string
  /** Of the repository; ends with `-dirty` when files differ from it. `null`: this is no clone of it, or there is no git. */
  readonly commit: string | null
  /** Of the last minute, before the bench itself did anything: above 1, others were at work. */
  readonly loadBefore: number
}

export function lookAround(): AtStart {
  return { startedAt: new Date().toISOString(), commit: commitHere(), loadBefore: os.loadavg()[0]! }
}

function commitHere(): string | null {
  const args = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*']
  try {
    return execFileSync('git', args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return null
  }
}
