import { execFileSync } from 'node:child_process'
import os from 'node:os'

/** Applies to all scenarios of one command. */
export interface AtStart {
  /** ISO 8601. */
  readonly startedAt: string
  /**
   * Of the repository; ends with `-dirty` if files are changed. `null`: not a clone of it, or git is missing.
   */
  readonly commit: string | null
  /** Of the last minute, before the bench started: above 1, other processes were busy. */
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
