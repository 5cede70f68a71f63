import { writeSync } from 'node:fs'

/**
 * Writes a line at once and not through a stream: what was said must not depend on what this process still gets to
 * do. While the pipe is full, it tries again.
 */
export function say(line: string): void {
  let left = Buffer.from(`${line}\n`)
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(1, left))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error
    }
  }
}
