import { mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Linux keeps its files in memory. */
const IN_MEMORY = '/dev/shm'
/** More than all stores of a test run need together. */
const NEEDED_BYTES = 2 * 1024 ** 3

const parent = hasRoom() ? IN_MEMORY : tmpdir()

/** A fresh directory for an embedded store, in memory where there is room: each commit would wait for the disk. */
export function makeStoreDirectory(): string {
  return mkdtempSync(path.join(parent, 'posthorn-store-'))
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY)
    return bavail * bsize >= NEEDED_BYTES
  } catch {
    return false
  }
}
