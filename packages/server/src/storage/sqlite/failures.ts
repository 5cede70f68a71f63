import { StoreUnavailableError } from '../storage.ts'
import type { Failure } from './messages.ts'

/** SQLite's primary result codes that say something about the machine, not about the statement. */
const UNAVAILABLE = [
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_READONLY',
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'SQLITE_CANTOPEN',
  'SQLITE_NOMEM',
  'SQLITE_PROTOCOL',
]

/** Turns what a verb threw into something that can be posted to the other thread. */
export function describeFailure(error: unknown): Failure {
  const code = sqliteCode(error)
  const text = error instanceof Error ? error.message : String(error)
  return { unavailable: isUnavailable(code), message: code === null ? text : `${code}: ${text}` }
}

export function failureToError(failure: Failure): Error {
  return failure.unavailable ? new StoreUnavailableError(failure.message) : new Error(failure.message)
}

function sqliteCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

/** Extended codes (`SQLITE_IOERR_FSYNC`) begin with the primary one. */
function isUnavailable(code: string | null): boolean {
  return code !== null && UNAVAILABLE.some((primary) => code === primary || code.startsWith(`${primary}_`))
}
