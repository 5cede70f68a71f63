import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/duration.ts'

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

/** @returns with a comma between thousands */
export const numberOf = (count: number): string => count.toLocaleString('en-US')

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

/** @returns rounded, such as `2 min 5 s` */
export function durationOf(ms: number): string {
  const hours = Math.floor(ms / HOUR_MS)
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS)
  if (hours > 0) return `${hours} h ${minutes} min`
  const seconds = Math.ceil((ms % MINUTE_MS) / SECOND_MS)
  return minutes > 0 ? `${minutes} min ${seconds} s` : `${seconds} s`
}
