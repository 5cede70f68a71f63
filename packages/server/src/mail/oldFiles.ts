import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Clock } from '../core/clock.ts'
import { HOUR_MS } from '../core/duration.ts'
import type { FailureLog } from '../engine/log/failureLog.ts'
import { Loop } from '../engine/loop.ts'
import { fileTime } from './files.ts'

/**
 * Deletes message files that are older than the retention, and incomplete ones after a crash. It uses the time in the file
 * name; files with other names are not touched.
 */
export function createFileCleaner(params: {
  /** May be missing: there may be no messages yet. */
  readonly directory: string
  readonly clock: Clock
  readonly failureLog: FailureLog
  readonly retentionMs: number
  /** Whether the clock is trusted to delete expired data. */
  readonly mayDelete: () => boolean
}): Loop {
  const { directory, clock, failureLog, retentionMs, mayDelete } = params
  return new Loop({
    name: 'deletion of old e-mail files',
    clock,
    failureLog,
    intervalMs: HOUR_MS,
    async work() {
      if (!mayDelete()) return null
      const before = clock.now() - retentionMs
      for (const name of await namesIn(directory)) {
        const writtenAt = fileTime(name)
        // Another node may have deleted it first, if several share the directory.
        if (writtenAt !== null && writtenAt < before) await rm(path.join(directory, name), { force: true })
      }
      return null
    },
  })
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
