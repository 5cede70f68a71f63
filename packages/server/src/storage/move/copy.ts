import type { MovedTable } from './movedTable.ts'
import type { MoveSource } from './source.ts'
import { MOVED_TABLES } from './tables.ts'
import type { MoveTarget } from './target.ts'

/** Hears how far a table has come. */
export type OnProgress = (table: string, rows: number) => void

/** Copies every table from where it has come to. */
export async function copyTables(
  source: MoveSource,
  target: MoveTarget,
  onProgress: OnProgress,
): Promise<void> {
  for (const table of MOVED_TABLES) await copyTable(source, target, table, onProgress)
}

async function copyTable(
  source: MoveSource,
  target: MoveTarget,
  table: MovedTable,
  onProgress: OnProgress,
): Promise<void> {
  const walk = source.walk(table)
  let { through, rows } = await target.progress(table)
  onProgress(table.name, rows)
  let chunk = walk.chunk(through)
  while (chunk !== null) {
    const storing = target.store(table, chunk, through)
    storing.catch(() => {})
    // Read while the database is at work on the last.
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
