import { execFileSync } from 'node:child_process'
import { mkdirSync, statfsSync } from 'node:fs'

const [MOUNT, UMOUNT, PRLIMIT] = ['/bin/mount', '/bin/umount', '/usr/bin/prlimit']
const SIZE_BYTES = 1024 ** 3
const FILL_TRIES = 50

const mounted = new Set<SmallDisk>()
process.once('exit', () => {
  for (const disk of mounted) disk.unmount()
})

/** A file system in memory that can be filled up and freed again. */
export class SmallDisk {
  readonly #directory: string

  /** @throws Error when this machine does not allow mounts */
  constructor(directory: string) {
    this.#directory = directory
    mkdirSync(directory, { recursive: true })
    this.#mount(`size=${SIZE_BYTES}`, 'tmpfs')
    mounted.add(this)
  }

  /** Uses up all free space. */
  fill(): void {
    for (let tries = 1; ; tries++) {
      const { blocks, bfree, bsize } = statfsSync(this.#directory)
      try {
        this.#mount(`remount,size=${(blocks - bfree + 1) * bsize}`)
        return
      } catch (error) {
        // More was written since it was measured.
        if (tries === FILL_TRIES) throw error
      }
    }
  }

  makeRoom(): void {
    this.#mount(`remount,size=${SIZE_BYTES}`)
  }

  unmount(): void {
    // Lazily: a process that has a file open keeps it until it ends.
    if (mounted.delete(this)) execFileSync(UMOUNT, ['--lazy', this.#directory], { stdio: 'pipe' })
  }

  #mount(options: string, ...device: string[]): void {
    const type = device.length > 0 ? ['-t', 'tmpfs'] : []
    execFileSync(MOUNT, [...type, '-o', options, ...device, this.#directory], { stdio: 'pipe' })
  }
}

/** Makes every write of a process beyond the first kilobytes of a file fail; `null` lifts the limit. */
export function limitFileSize(pid: number, bytes: number | null): void {
  // The hard limit stays, so that any user can lift the soft one again.
  execFileSync(PRLIMIT, [`--pid=${pid}`, `--fsize=${bytes ?? 'unlimited'}:`], { stdio: 'pipe' })
}
