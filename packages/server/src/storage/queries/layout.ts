import { DAY_MS } from '../../core/duration.ts'
import { either, type Fragment, type List, numberList, records, tableOf } from './sql.ts'
import { rows, type Work } from './work.ts'

/** A day for which PostgreSQL has tables. */
export interface Day {
  /** Unix ms of its midnight, UTC. */
  readonly from: number
  /** The next one. */
  readonly to: number
  /** As in the names of tables: `20260131`. */
  readonly name: string
}

export function dayOf(time: number): Day {
  const from = Math.floor(time / DAY_MS) * DAY_MS
  return { from, to: from + DAY_MS, name: new Date(from).toISOString().slice(0, 10).replaceAll('-', '') }
}

interface DayRow {
  readonly name: string
}

function toDay({ name }: DayRow): Day {
  return dayOf(Date.UTC(Number(name.slice(0, -4)), Number(name.slice(-4, -2)) - 1, Number(name.slice(-2))))
}

const existingDays = either({
  sqlite: 'SELECT NULL AS name WHERE false',
  postgres: `
    SELECT right(relname, 8) AS name FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relname LIKE 'deliveries\\_%' AND relkind = 'r'
      AND relispartition
    ORDER BY relname`,
})

/** @returns the days that have tables, oldest first; SQLite keeps all days in the same */
export function* days(): Work<readonly Day[]> {
  return (yield* rows<DayRow>(existingDays)).map(toDay)
}

/** What names a row of a table that PostgreSQL keeps by day. */
interface RowPosition {
  readonly id: number
  readonly createdAt: number
}

/** A table `x` of positions, given as {@link positionValues}. */
export const POSITIONS = tableOf('x', '$1', { id: 'bigint', created_at: 'bigint' })

/** Positions as values: themselves, the first and the last of their times. */
export function positionValues(positions: readonly RowPosition[]): [string, number, number] {
  const times = positions.map(({ createdAt }) => createdAt)
  return [
    records(positions.map(({ id, createdAt }) => ({ id, created_at: createdAt }))),
    Math.min(...times),
    Math.max(...times),
  ]
}

/** The same as two lists, without bounds on the times: with bounds, PostgreSQL's planner might begin with all rows between them. */
export const positionLists = (positions: readonly RowPosition[]): [List, List] => [
  numberList(positions.map(({ id }) => id)),
  numberList(positions.map(({ createdAt }) => createdAt)),
]

/** For PostgreSQL: the row has the time of {@link POSITIONS}, and the first and last time limit the days that are looked at. */
export const inDayOf = (alias: string): Fragment => ({
  sqlite: '',
  postgres: `AND ${alias}.created_at = x.created_at AND ${alias}.created_at BETWEEN $2 AND $3`,
})

/** The same for a row that is found through another. */
export const sameDay = (alias: string, other: string): Fragment => ({
  sqlite: '',
  postgres: `AND ${alias}.created_at = ${other}.created_at`,
})

/** Pending deliveries leased to no node: PostgreSQL has a table of them. */
export const WAITING: Fragment = {
  sqlite: `(
    SELECT id, created_at, webhook_id, next_attempt_at AS due_at FROM deliveries INDEXED BY deliveries_waiting
    WHERE status = 'pending' AND lease IS NULL)`,
  postgres: '(SELECT delivery_id AS id, created_at, webhook_id, due_at FROM waiting)',
}

/** Deliveries that are leased to nodes, pending or not. */
export const LEASED: Fragment = {
  sqlite: `(
    SELECT id, created_at, webhook_id FROM deliveries INDEXED BY deliveries_leased WHERE lease IS NOT NULL)`,
  postgres: '(SELECT id, created_at, webhook_id FROM held_deliveries OFFSET 0)',
}
