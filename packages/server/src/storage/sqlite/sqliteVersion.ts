import { StoreOpenError } from '../storage.ts'

/** Before it, a commit between two checkpoints of other connections could damage the database. */
const OLDEST = '3.51.3'

/** @param version SQLite's own words for it @throws StoreOpenError when checkpoints beside the writer are not safe with it */
export function refuseOldSqlite(version: string): void {
  if (version.localeCompare(OLDEST, 'en', { numeric: true }) >= 0) return
  throw new StoreOpenError(
    `better-sqlite3 has SQLite ${version} in it, which may damage a store (https://www.sqlite.org/wal.html#walresetbug): ` +
      `${OLDEST} or later is needed`,
  )
}
