import { ACCOUNT_TABLES } from './accountTables.ts'
import { EVENT_TABLES, TABLES_BESIDE } from './eventTables.ts'
import { FIGURE_TABLES } from './figureTables.ts'
import { MEMORY_TABLES } from './memoryTables.ts'
import type { MovedTable } from './movedTable.ts'

/** What is copied, in an order in which nothing refers to what is not there yet. */
export const MOVED_TABLES: readonly MovedTable[] = [
  ...ACCOUNT_TABLES,
  ...EVENT_TABLES,
  ...MEMORY_TABLES,
  ...FIGURE_TABLES,
]

export const COMPARED_TABLES: readonly MovedTable[] = [...MOVED_TABLES, ...TABLES_BESIDE]

/** Tables whose ids the database gives out. */
export const IDENTITY_TABLES: readonly string[] = MOVED_TABLES.filter(
  ({ name, columns }) => 'id' in columns && name !== 'events' && name !== 'deliveries',
).map(({ name }) => name)
