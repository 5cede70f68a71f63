import { IdempotencyKeyReusedError, StoreOpenError, StoreUnavailableError } from '../storage.ts'
import type { Failure } from './messages.ts'
import { RESTORE } from './storeFacts.ts'

/** SQLite's primary result codes that concern the machine, not the statement. */
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

const ERRORS = { unavailable: StoreUnavailableError, key_reused: IdempotencyKeyReusedError, wrong: Error }

/** Turns the error of a call into a message for the other thread. */
export function describeFailure(error: unknown): Failure {
  const code = sqliteCode(error)
  const text = error instanceof Error ? error.message : String(error)
  return { kind: kindOf(error, code), message: code === null ? text : `${code}: ${text}` }
}

export function failureToError(failure: Failure): Error {
  return new ERRORS[failure.kind](failure.message)
}

/** @returns why the store in a data directory cannot be opened, in one line for the operator */
export function openFailure(dataDir: string, error: unknown): string {
  const { message } = describeFailure(error)
  if (error instanceof StoreOpenError) return message
  const isDamaged = /^SQLITE_(CORRUPT|NOTADB)/.test(sqliteCode(error) ?? '')
  return `the store in ${dataDir} cannot be opened: ${message}${isDamaged ? `. ${RESTORE}` : ''}`
}

/** Whether SQLite reports an error of a file or a statement. */
export function isSqliteError(error: unknown): error is Error & { readonly code: string } {
  return sqliteCode(error)?.startsWith('SQLITE_') ?? false
}

function kindOf(error: unknown, code: string | null): Failure['kind'] {
  if (error instanceof IdempotencyKeyReusedError) return 'key_reused'
  return isUnavailable(code) ? 'unavailable' : 'wrong'
}

function sqliteCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}

/** Extended codes (`SQLITE_IOERR_FSYNC`) begin with the primary one. */
function isUnavailable(code: string | null): boolean {
  return code !== null && UNAVAILABLE.some((primary) => code === primary || code.startsWith(`${primary}_`))
}
