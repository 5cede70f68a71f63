import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Has the disk keep a file, or what a directory lists, before it returns. */
export function syncFile(file: string): void {
  const handle = openSync(file, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
