import { StoreUnavailableError } from '../storage.ts'

/** Classes of SQLSTATE that concern the server or the connection, not the statement. */
const UNAVAILABLE_CLASSES = ['08', '53', '57', '58', 'F0', 'XX']
const UNAVAILABLE = new Set([
  '25006', // read_only_sql_transaction: a standby, or a server that is set to read-only
  '25P02', // in_failed_sql_transaction
  '25P03', // idle_in_transaction_session_timeout
  '28000',
  '28P01',
  '3D000',
  '40001',
  '40P01',
  '55P03', // lock_not_available
])

/** Whether the same transaction is likely to succeed if it is retried immediately. */
export function isTransient(error: unknown): boolean {
  const code = sqlState(error)
  return code === '40001' || code === '40P01'
}

/** Another publish has just stored the same id: a retry recognizes the repeat. */
export function isBroughtIdTaken(error: unknown): boolean {
  return sqlState(error) === '23505' && (error as { constraint?: string }).constraint === 'brought_ids_pkey'
}

/** A lock was not free within the time that the statement waits. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03'
}

/** A row fits no partition: its day was not created yet, or was dropped. */
export function isMissingPartition(error: unknown): boolean {
  return sqlState(error) === '23514' && messageOf(error).startsWith('no partition of relation')
}

/** The user lacks a privilege on an object of the statement, or on every schema that could contain it. */
export function isForbidden(error: unknown): boolean {
  const code = sqlState(error)
  return code === '42501' || code === '3F000'
}

/** The connection works, but another server should be used from now on. */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === '25006'
}

/** A table cannot grow. @param error may be the result of {@link toStoreError} */
export function isDiskFull(error: unknown): boolean {
  return (
    sqlState(error) === '53100' ||
    (error instanceof StoreUnavailableError && sqlState(error.cause) === '53100')
  )
}

/** All connections of a pool were in use for too long; the pool's error has only this message. */
export function isPoolBusy(error: unknown): boolean {
  return messageOf(error) === 'timeout exceeded when trying to connect'
}

/** What the caller of the store gets. */
export function toStoreError(error: unknown): Error {
  if (error instanceof StoreUnavailableError) return error
  const code = sqlState(error)
  // Without a code, the connection failed or was never opened.
  if (code === null ? isConnectionError(error) : isUnavailable(code))
    return new StoreUnavailableError(code === null ? messageOf(error) : `${code}: ${messageOf(error)}`, {
      cause: error,
    })
  return error instanceof Error ? error : new Error(String(error))
}

function isUnavailable(code: string): boolean {
  return UNAVAILABLE.has(code) || UNAVAILABLE_CLASSES.some((prefix) => code.startsWith(prefix))
}

/** Socket errors have codes of their own (`ECONNRESET`); errors of the client have no code, only these messages. */
function isConnectionError(error: unknown): boolean {
  if (error instanceof Error && 'code' in error) return true
  return /connect|terminated|timeout|closed|not queryable/i.test(messageOf(error))
}

export function sqlState(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null
  return /^[0-9A-Z]{5}$/.test(error.code) && 'severity' in error ? error.code : null
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
