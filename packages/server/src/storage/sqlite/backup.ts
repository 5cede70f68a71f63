import { renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { StoreOpenError } from '../storage.ts'
import { type Connection, createPrivate, openReadOnly } from './connection.ts'
import { databaseFile, refuseNoDatabase, syncFile } from './dataDirectory.ts'
import { describeFailure, isSqliteError } from './failures.ts'
import { movedMessage, readMoved, refuseOtherThanStore } from './storeFacts.ts'

const sql = {
  copy: 'VACUUM INTO ?',
  /** One error is enough. */
  check: 'PRAGMA integrity_check(1)',
}

/**
 * Writes the present state of the store into a file, for this user only; the store stays in service. The file is complete or
 * not there.
 * @param file is replaced if it exists
 * @throws StoreOpenError with one line for the operator
 */
export function backUp(dataDir: string, file: string): void {
  refuseNoDatabase(dataDir)
  const draft = `${file}.${process.pid}.partial`
  try {
    reading(`the store in ${dataDir}`, databaseFile(dataDir), (db) => {
      refuseOtherThanStore(db, false)
      const moved = readMoved(db)
      // Otherwise nightly backups would go on without the data that is now in the other store.
      if (moved !== null) throw new StoreOpenError(movedMessage(dataDir, moved))
      copyInto(db, draft)
    })
    reading(draft, draft, (db) => refuseDamaged(db, draft))
    renameSync(draft, file)
    syncFile(path.dirname(file))
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Writes the state that a connection sees into a file and syncs it. @throws StoreOpenError */
export function copyInto(db: Connection, file: string): void {
  try {
    rmSync(file, { force: true })
    createPrivate(file)
    db.prepare<[string]>(sql.copy).run(file)
    syncFile(file)
  } catch (error) {
    throw new StoreOpenError(`copying ${db.name} to ${file} failed: ${describeFailure(error).message}`)
  }
}

/** @throws StoreOpenError when the database is damaged */
export function refuseDamaged(db: Connection, name: string): void {
  const complaint = db.prepare<[], string>(sql.check).pluck().get()
  if (complaint !== 'ok') throw new StoreOpenError(`${name} is damaged: ${complaint?.split('\n')[0]}`)
}

/**
 * @param name of the file, for people
 * @param notADatabase the message, instead of SQLite's, for a file that is not a database
 * @throws StoreOpenError
 */
export function reading<Result>(
  name: string,
  file: string,
  work: (db: Connection) => Result,
  notADatabase: string | null = null,
): Result {
  let db: Connection | null = null
  try {
    db = openReadOnly(file)
    return work(db)
  } catch (error) {
    if (!isSqliteError(error)) throw error
    if (error.code === 'SQLITE_NOTADB' && notADatabase !== null) throw new StoreOpenError(notADatabase)
    throw new StoreOpenError(`${name} cannot be read: ${describeFailure(error).message}`)
  } finally {
    db?.close()
  }
}
