import { StoreOpenError } from '../storage.ts'

/** Before it, a commit between two checkpoints of other connections could damage the database. */
const OLDEST = [3, 51, 3]

/** @param version SQLite's own words for it @throws StoreOpenError when checkpoints beside the writer are not safe with it */
export function refuseOldSqlite(version: string): void {
  if (!isOlder(version.split('.').map(Number), OLDEST)) return
  throw new StoreOpenError(
    `better-sqlite3 has SQLite ${version} in it, which may damage a store (https://www.sqlite.org/wal.html#walresetbug): ` +
      `${OLDEST.join('.')} or later is needed`,
  )
}

/** Number by number: a collator that sorts digits as numbers would take 15 MB of memory. */
function isOlder(version: readonly number[], than: readonly number[]): boolean {
  const at = than.findIndex((number, position) => (version[position] ?? 0) !== number)
  return at !== -1 && (version[at] ?? 0) < than[at]!
}
