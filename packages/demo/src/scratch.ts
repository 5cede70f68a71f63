import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A directory for one run. */
export interface Scratch {
  readonly dir: string
  readonly logFile: string
  /** Leaves nothing behind, or after a failure the service's log alone. */
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
