import { statfs } from 'node:fs/promises'

export interface Disk {
  readonly freeBytes: number
  readonly sizeBytes: number
}

/** The disk that a directory is on; `null`: it cannot be read. */
export async function readDisk(directory: string): Promise<Disk | null> {
  const found = await statfs(directory).catch(() => null)
  return found === null
    ? null
    : { freeBytes: found.bavail * found.bsize, sizeBytes: found.blocks * found.bsize }
}
