import { StoreOpenError } from '../storage.ts'
import type { MoveSource } from './source.ts'
import { COMPARED_TABLES, MOVED_TABLES, type MovedTable, type TableWithColumns } from './tables.ts'
import type { MoveTarget } from './target.ts'
import { FIRST_PLACE, LAST_PLACE, type Range } from './walk.ts'

/** Reports the progress of a table. */
export type OnProgress = (table: string, rows: number) => void

/** Copies every table, from where an earlier move stopped. */
export async function copyTables(
  source: MoveSource,
  target: MoveTarget,
  onProgress: OnProgress,
): Promise<void> {
  for (const table of await withColumns(source, target, MOVED_TABLES))
    await copyTable(source, target, table, onProgress)
}

/** Columns that exist only in one of the stores are not moved. */
async function withColumns(
  source: MoveSource,
  target: MoveTarget,
  tables: readonly MovedTable[],
): Promise<readonly TableWithColumns[]> {
  const columnsThere = await target.columns()
  const withColumnsOf = ({ beside, ...table }: MovedTable): TableWithColumns => {
    const here = source.columnsOf(table)
    const both = Object.entries(columnsThere.get(table.name)!).filter(([column]) => here.has(column))
    const columns = Object.fromEntries(both)
    if (beside === undefined) return { ...table, columns }
    return { ...table, columns, beside: { ...beside, table: withColumnsOf(beside.table) } }
  }
  return tables.map(withColumnsOf)
}

async function copyTable(
  source: MoveSource,
  target: MoveTarget,
  table: TableWithColumns,
  onProgress: OnProgress,
): Promise<void> {
  const walk = source.walk(table)
  let { through, rows } = await target.progress(table)
  onProgress(table.name, rows)
  let chunk = walk.chunk(through)
  while (chunk !== null) {
    const storing = target.store(table, chunk, through)
    storing.catch(() => {})
    // Read while the database processes the last chunk.
    let next = walk.chunk(chunk.through)
    if (await storing) {
      through = chunk.through
      rows += chunk.rows
    } else {
      ;({ through, rows } = await target.progress(table))
      next = walk.chunk(through)
    }
    onProgress(table.name, rows)
    chunk = next
  }
}

/**
 * Compares every row of the database with the embedded store. Each side converts its rows to text and hashes them independently
 * of the copying.
 * @throws StoreOpenError (rejects) that names the table and the part that differs
 */
export async function compareTables(
  source: MoveSource,
  target: MoveTarget,
  onProgress: OnProgress,
): Promise<void> {
  for (const table of await withColumns(source, target, COMPARED_TABLES)) {
    let rows = 0
    let comparing = Promise.resolve()
    for (const range of source.walk(table).ranges()) {
      // The database processes this range while the next is read here.
      await comparing
      comparing = compareRange(target, table, range)
      comparing.catch(() => {})
      rows += range.rows
      onProgress(table.name, rows)
    }
    await comparing
  }
}

async function compareRange(target: MoveTarget, table: TableWithColumns, range: Range): Promise<void> {
  const found = await target.digest(table, range)
  if (found.rows === range.rows && sameDigest(found.digest, range.digest)) return
  throw new StoreOpenError(
    `${table.name} differ${placeOf(table, range)}: ${range.rows} rows in the store, ${found.rows} in the database` +
      `${found.rows === range.rows ? ', not all alike' : ''}; the move is not finished: run it again with --start-over`,
  )
}

function sameDigest(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one === null || other === null ? one === other : Buffer.compare(one, other) === 0
}

function placeOf({ walk: [column] }: MovedTable, { after, through }: Range): string {
  const from = after === FIRST_PLACE ? '' : ` after ${after}`
  const to = through === LAST_PLACE ? '' : ` up to ${through}`
  return from === '' && to === '' ? '' : ` where ${column} is${from}${to}`
}
