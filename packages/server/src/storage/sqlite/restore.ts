import { existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { StoreOpenError } from '../storage.ts'
import { copyInto, reading, refuseDamaged } from './backup.ts'
import { type Connection, keepStatements } from './connection.ts'
import { databaseFile, hasBytes, logOf, prepareDirectory, syncFile } from './dataDirectory.ts'
import { lockDirectory } from './directoryLock.ts'
import { describeFailure } from './failures.ts'
import { migrate, missingMigrations } from './migrate.ts'
import { isStore, type KeyFacts, type Moved, readKeyFacts, readMoved } from './storeFacts.ts'

/**
 * It is unknown how many ids were assigned, and how often a webhook was changed, since the backup. So the store skips this many
 * numbers. There is room for nine million such skips.
 */
const SKIPPED = 1_000_000_000

const sql = {
  skip: `
    UPDATE store SET next_event_id = next_event_id + ${SKIPPED}, next_delivery_id = next_delivery_id + ${SKIPPED},
      next_event_seq = next_event_seq + ${SKIPPED};
    UPDATE sqlite_sequence SET seq = seq + ${SKIPPED};
    UPDATE webhooks SET version = version + ${SKIPPED}`,
  contents: `
    SELECT (SELECT count(*) FROM events) AS events, (SELECT max(created_at) FROM events) AS newestAt,
      (SELECT count(*) FROM deliveries WHERE status = 'pending') AS pending`,
}

/** What a backup holds. */
export interface BackupContents {
  readonly events: number
  /** When the newest event was published, Unix ms; `null` when there is none. */
  readonly newestAt: number | null
  /** Deliveries that were not finished. */
  readonly pending: number
  readonly keys: KeyFacts
}

/** Looks a backup through from end to end. @throws StoreOpenError when it cannot be put back */
export function checkBackup(file: string): BackupContents {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) throw new StoreOpenError(`there is no file ${file}`)
  if (found.isDirectory()) throw new StoreOpenError(`${file} is a directory; name the backup in it`)
  if (found.size === 0) throw new StoreOpenError(`${file} is empty; use another backup`)
  const notABackup = `${file} is not a Posthorn backup. Name a file that \`posthorn backup\` wrote`
  const look = (db: Connection): BackupContents => {
    refuseDamaged(db, file)
    if (!isStore(db)) throw new StoreOpenError(notABackup)
    missingMigrations(db)
    const moved = readMoved(db)
    if (moved !== null)
      throw new StoreOpenError(
        `${file} is a backup of a store that was moved to ${moved.place} and runs there`,
      )
    const contents = db.prepare<[], Omit<BackupContents, 'keys'>>(sql.contents).get()!
    return { ...contents, keys: readKeyFacts(db) }
  }
  return reading(file, file, look, notABackup)
}

/** Where the store in a data directory was moved to; `null` when it was not, or cannot be read any more. */
export function whereMoved(dataDir: string): Moved | null {
  const place = databaseFile(dataDir)
  if (!hasBytes(place)) return null
  try {
    return reading(dataDir, place, readMoved)
  } catch (error) {
    // It may be damaged; that is why it is replaced.
    if (error instanceof StoreOpenError) return null
    throw error
  }
}

export interface RestoreParams {
  /** A backup that {@link checkBackup} found good. */
  readonly file: string
  readonly dataDir: string
  /** Puts it in the place of a store that is there. */
  readonly force: boolean
  /** Unix ms. */
  readonly now: number
}

/**
 * Puts a backup into a data directory that no process has. The store there is the old one or the new one, whenever this
 * is killed.
 * @returns the file that the store which was there is kept in; `null` when there was none
 * @throws StoreOpenError with one line for the operator
 */
export function putBack({ file, dataDir, force, now }: RestoreParams): string | null {
  prepareDirectory(dataDir)
  const lock = lockDirectory(dataDir)
  const place = databaseFile(dataDir)
  const draft = `${place}.${process.pid}.partial`
  try {
    if (!force && (hasBytes(place) || hasBytes(logOf(place))))
      throw new StoreOpenError(
        `there is already a store in ${dataDir}; to replace it with the backup, add --force`,
      )
    reading(file, file, (db) => copyInto(db, draft))
    makeReady(draft, now)
    const kept = setAside(place, now)
    renameSync(draft, place)
    syncFile(dataDir)
    return kept
  } catch (error) {
    if (error instanceof StoreOpenError) throw error
    throw new StoreOpenError(`the backup cannot be written to ${dataDir}: ${describeFailure(error).message}`)
  } finally {
    rmSync(draft, { force: true })
    lock.release()
  }
}

/** Has the copy go on behind whatever was given out since the backup. */
function makeReady(draft: string, now: number): void {
  const db = keepStatements(new Database(draft))
  try {
    migrate(db, now)
    db.transaction(() => db.exec(sql.skip)).immediate()
  } finally {
    db.close()
  }
  syncFile(draft)
}

/** Keeps the store that is there under another name as well, and takes its log away: it belongs to no other. */
function setAside(place: string, now: number): string | null {
  foldLog(place)
  const kept = `${place}.replaced-${new Date(now).toISOString().replaceAll(/[-:.]/g, '')}`
  if (hasBytes(place)) linkSync(place, kept)
  if (hasBytes(logOf(place))) renameSync(logOf(place), logOf(kept))
  for (const end of ['-wal', '-shm']) rmSync(`${place}${end}`, { force: true })
  return [kept, logOf(kept)].find((file) => existsSync(file)) ?? null
}

/** The last connection to close folds the log into the database, so that it is whole under its new name. */
function foldLog(place: string): void {
  if (!hasBytes(place)) return
  let db: Connection | null = null
  try {
    db = keepStatements(new Database(place))
    db.prepare('SELECT 1 FROM sqlite_schema').get()
  } catch {
    // It is no database any more; that is why it is replaced.
  } finally {
    db?.close()
  }
}
