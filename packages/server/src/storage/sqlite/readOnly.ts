import Database from 'better-sqlite3'
import { type Connection, keepStatements } from './connection.ts'

/** The process that serves the store is busy with its log for a moment at most. */
const BUSY_TIMEOUT_MS = 10_000

/** Opens a store's file to read it, beside the process that serves it if there is one. @throws SqliteError */
export function openReadOnly(file: string): Connection {
  return keepStatements(new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS }))
}
