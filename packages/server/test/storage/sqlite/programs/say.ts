import { writeSync } from 'node:fs'

/**
 * Writes a line synchronously and not through a stream, so that it is written even if the process is killed
 * next. While the pipe is full, it retries.
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
