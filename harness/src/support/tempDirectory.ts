import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const made = new Set<string>()

process.once('exit', () => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true })
})

/** A fresh directory that is removed when this process ends, or earlier by {@link removeDirectory}. */
export function makeDirectory(parent: string = os.tmpdir()): string {
  const directory = mkdtempSync(path.join(parent, 'posthorn-'))
  made.add(directory)
  return directory
}

export function removeDirectory(directory: string): void {
  made.delete(directory)
  rmSync(directory, { recursive: true, force: true })
}
