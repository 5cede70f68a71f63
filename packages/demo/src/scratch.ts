import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A directory for one run. */
export interface Scratch {
  readonly dir: string
  readonly logFile: string
  /** Removes everything, except the service's log after a failure. */
  remove(keepLog: boolean): void
}

export function makeScratch(): Scratch {
  const dir = mkdtempSync(path.join(tmpdir(), 'posthorn-demo-'))
  return {
    dir,
    logFile: path.join(dir, 'service.log'),
    remove(keepLog) {
      const unwanted = keepLog ? [path.join(dir, 'data'), path.join(dir, 'authority.pem')] : [dir]
      for (const target of unwanted) rmSync(target, { recursive: true, force: true })
    },
  }
}
