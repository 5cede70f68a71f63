import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'

/** Clock ticks of /proc/<pid>/stat: 100 a second on every Linux platform that Node runs on. */
const TICK_MICROSECONDS = 10_000

/** CPU time of a process with all its threads, user and system. */
export const cpuMicroseconds = (pid: number): number => cpuTimes(pid).own

/** The same, including its ended children. */
export function cpuMicrosecondsWithEnded(pid: number): number {
  const { own, endedChildren } = cpuTimes(pid)
  return own + endedChildren
}

function cpuTimes(pid: number): { readonly own: number; readonly endedChildren: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The program's name comes second, in parentheses, and may contain blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const microseconds = (user: number, system: number) =>
    (Number(fields[user]) + Number(fields[system])) * TICK_MICROSECONDS
  return { own: microseconds(11, 12), endedChildren: microseconds(13, 14) }
}

/** Current memory of a process. */
export const rssBytes = (pid: number): number => statusBytes(pid, 'VmRSS')

export const peakRssBytes = (pid: number): number => statusBytes(pid, 'VmHWM')

function statusBytes(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024
}

/** Bytes that the process had written to disk; with the store's log, more than it keeps. */
export function bytesWritten(pid: number): number {
  return Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1])
}

export function directoryBytes(directory: string): number {
  return readdirSync(directory, { withFileTypes: true }).reduce((sum, entry) => {
    const file = path.join(directory, entry.name)
    return sum + (entry.isDirectory() ? directoryBytes(file) : statSync(file).size)
  }, 0)
}
