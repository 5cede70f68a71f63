import { SECOND_MS } from '../core/duration.ts'

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

/** @returns with a comma between thousands */
export const numberOf = (count: number): string => count.toLocaleString('en-US')

/** @returns such as `1 event` or `2,000 events` */
export const countOf = (count: number, thing: string, things = `${thing}s`): string =>
  `${numberOf(count)} ${count === 1 ? thing : things}`

/** @returns such as `1.5 MB` */
export function bytesOf(bytes: number): string {
  let unit = 0
  let size = bytes
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024
    unit++
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit]}`
}

/** @returns rounded up to seconds, or from an hour on down to minutes, such as `2 min 5 s` */
export function durationOf(ms: number): string {
  const seconds = Math.ceil(ms / SECOND_MS)
  const minutes = Math.floor(seconds / 60)
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`
}

/** Text from outside for a terminal, without control characters. Line breaks stay. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it removes.
export const printable = (text: string): string => text.replace(/[\0-\x09\x0b-\x1f\x7f-\x9f]/g, '�')
