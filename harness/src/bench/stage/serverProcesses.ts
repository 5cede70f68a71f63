import { readdirSync, readFileSync } from 'node:fs'
import { bytesWritten, cpuMicroseconds, cpuMicrosecondsWithEnded } from '../measure/proc.ts'

/**
 * CPU time of a server with all its processes, including ended ones, µs. @param mainPid that started the
 * others
 */
export function cpuOfServer(mainPid: number): number {
  const living = sumOf(childrenOf(mainPid), cpuMicroseconds)
  return living + cpuMicrosecondsWithEnded(mainPid)
}

/** Bytes that a server had written. The system adds those of ended children to the main process. */
export function writtenByServer(mainPid: number): number {
  const living = sumOf(childrenOf(mainPid), bytesWritten)
  return living + bytesWritten(mainPid)
}

function sumOf(pids: readonly number[], read: (pid: number) => number): number {
  return pids.reduce((sum, pid) => sum + (unlessEnded(() => read(pid)) ?? 0), 0)
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => unlessEnded(() => parentOf(pid)) === parent)
}

const parentOf = (pid: number) =>
  Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

/** @returns `null` when the process has ended since it was listed */
function unlessEnded<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return null
    throw error
  }
}
