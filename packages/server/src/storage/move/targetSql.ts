import { KINDS } from './columns.ts'
import type { MovedTable } from './movedTable.ts'
import { COMPARED_TABLES, MOVED_TABLES } from './tables.ts'

/** One text for each table, since each is a statement that the server prepares once. */
const perTable = (tables: readonly MovedTable[], write: (table: MovedTable) => string) => {
  const texts = new Map(tables.map((table) => [table.name, write(table)]))
  return ({ name }: MovedTable): string => texts.get(name)!
}

/** Stores rows that are given column by column, and what is written along with them. */
export const insertSql = perTable(MOVED_TABLES, ({ name, columns, beside }) => {
  const names = Object.keys(columns).join(', ')
  const arrays = Object.values(columns).map((kind, at) => `$${at + 1}::${KINDS[kind].arrayType}`)
  const given = `given AS (SELECT * FROM unnest(${arrays.join(', ')}) AS x (${names}))`
  const insert = `INSERT INTO ${name} (${names}) SELECT ${names} FROM given`
  if (beside === undefined) return `WITH ${given} ${insert}`
  const theirs = Object.keys(beside.columns).join(', ')
  const ours = Object.values(beside.columns).join(', ')
  return `
    WITH ${given}, stored AS (${insert})
    INSERT INTO ${beside.name} (${theirs}) SELECT ${ours} FROM given WHERE ${beside.where}`
})

/** What the rows between two places of the walk come to; texts go by their bytes, as in the embedded store. */
export const digestSql = perTable(COMPARED_TABLES, ({ name, columns, walk }) => {
  const words = Object.entries(columns).map(([column, kind]) => KINDS[kind].wordsSql(column))
  const order = walk.map((column) => (columns[column] === 'text' ? `${column} COLLATE "C"` : column))
  return `
    SELECT count(*) AS rows, sha256(string_agg(
      sha256(convert_to(concat_ws(' ', ${words.join(', ')}), 'UTF8')), ''::bytea ORDER BY ${order.join(', ')})) AS digest
    FROM ${name} WHERE ${walk[0]} > $1 AND ${walk[0]} <= $2`
})

/** Takes away what an earlier move copied. */
export const EMPTY = `TRUNCATE ${COMPARED_TABLES.map(({ name }) => name).join(', ')}, leases, move, move_progress`
