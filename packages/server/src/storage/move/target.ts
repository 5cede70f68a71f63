import { groupBy } from '../../core/groupBy.ts'
import { sqlState } from '../postgres/failures.ts'
import { migrate } from '../postgres/migrate.ts'
import { texts } from '../postgres/values.ts'
import { StoreOpenError } from '../storage.ts'
import { KINDS, type Kind, kindOf } from './columns.ts'
import type { Counters } from './source.ts'
import {
  COMPARED_TABLES,
  IDENTITY_TABLES,
  MOVED_TABLES,
  type MovedTable,
  sourceOf,
  type TableWithColumns,
} from './tables.ts'
import type { TargetConnection } from './targetConnection.ts'
import { readTargetFacts, type TargetFacts } from './targetFacts.ts'
import { type Chunk, FIRST_PLACE, type Range } from './walk.ts'

/** New rows come after the moved ones in the feed, even while this many older transactions are in progress. */
const ROOM_IN_FEED = 1_000_000_000

const sql = {
  /** No node starts or continues to serve while this transaction checks. */
  lockNodes: 'LOCK TABLE nodes IN SHARE ROW EXCLUSIVE MODE',
  begin: 'INSERT INTO move (id, store_key, state, begun_at) VALUES (1, $1, $2, $3)',
  columns: `
    SELECT c.relname AS "table", a.attname AS name, format_type(a.atttypid, NULL) AS type
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY ($1::text[]) ORDER BY a.attnum`,
  forgetProgress: 'DELETE FROM move_progress',
  expect: `
    INSERT INTO move_progress (table_name, copied_through, copied_rows)
    SELECT name, $2, 0 FROM unnest($1::text[]) AS x (name)`,
  progress: 'SELECT copied_through, copied_rows FROM move_progress WHERE table_name = $1',
  advance: `
    UPDATE move_progress SET copied_through = $3, copied_rows = copied_rows + $4
    WHERE table_name = $1 AND copied_through = $2`,
  goOn: `
    UPDATE store SET id_key = $1, key_check = $2, next_event_id = $3,
      server = (SELECT system_identifier FROM pg_control_system()),
      xact_offset = greatest(xact_offset, $4 + ${ROOM_IN_FEED} - pg_current_xact_id()::text::bigint), last_xact = $4`,
  /** The search index is not moved: nodes write it again. */
  searchTests: `
    INSERT INTO search_tests (event_id, workspace_id, created_at)
    SELECT id, workspace_id, created_at FROM events WHERE xact IS NULL ON CONFLICT DO NOTHING`,
  codesSince: 'UPDATE store SET codes_since = (SELECT coalesce(max(created_at) + 1, 0) FROM deliveries)',
  setSequence: 'SELECT setval($1::text::regclass, greatest($2::bigint, 1), $2 > 0)',
  setIdentity: `SELECT setval(pg_get_serial_sequence($1, 'id'), greatest($2::bigint, 1), $2 > 0)`,
  finish: 'UPDATE move SET finished_at = $1',
}

/** The progress of a move in a table. */
export interface Progress {
  /** The position in the table's walk. */
  readonly through: number
  readonly rows: number
}

export interface Origin {
  readonly idKey: Uint8Array
  readonly state: Uint8Array
}

/** A range of a table in the database; see {@link Range}. */
type Digest = Pick<Range, 'rows'> & { readonly digest: Uint8Array | null }

/** The target database of a move. */
export class MoveTarget {
  readonly #connection: TargetConnection

  constructor(connection: TargetConnection) {
    this.#connection = connection
  }

  /** Changes nothing. */
  facts(): Promise<TargetFacts> {
    return this.#connection.read((tx) => readTargetFacts(tx, this.#connection.schema))
  }

  /**
   * Creates the tables and locks nodes out.
   * @param judge throws when the database cannot take the store; returns whether to continue an earlier move
   */
  async begin(origin: Origin, now: number, judge: (facts: TargetFacts) => boolean): Promise<void> {
    const { connections, locks, schema } = this.#connection
    await migrate({ connections, locks, schema, now })
    await this.#connection.write(async (tx) => {
      // Everything else could be copied again; the record of whose database this is must not be lost.
      await tx.command('SET LOCAL synchronous_commit = on')
      await tx.command(sql.lockNodes)
      if (judge(await readTargetFacts(tx, schema))) return
      await tx.command(EMPTY)
      await tx.run(sql.begin, [origin.idKey, origin.state, now])
      await tx.run(sql.expect, [texts(MOVED_TABLES.map(({ name }) => name)), FIRST_PLACE])
    })
  }

  /** @returns the column types of each table; the tables exist after {@link begin} */
  async columns(): Promise<ReadonlyMap<string, Readonly<Record<string, Kind>>>> {
    const names = texts(COMPARED_TABLES.map(({ name }) => name))
    const found = await this.#connection.read((tx) =>
      tx.rows<{ table: string; name: string; type: string }>(sql.columns, [names]),
    )
    const kinds = groupBy(found, ({ table }) => table)
    return new Map(
      Array.from(kinds, ([table, columns]) => [
        table,
        Object.fromEntries(columns.map(({ name, type }) => [name, kindOf(type)])),
      ]),
    )
  }

  async progress({ name }: MovedTable): Promise<Progress> {
    const row = await this.#connection.read((tx) =>
      tx.row<{ copied_through: number; copied_rows: number }>(sql.progress, [name]),
    )
    return { through: row!.copied_through, rows: row!.copied_rows }
  }

  /**
   * Stores rows and the progress of the table, in one transaction.
   * @param after the start of the chunk
   * @returns false when the table has other progress: a statement of a killed process was still running
   * @throws StoreOpenError (rejects) when the database rejects them
   */
  async store(table: TableWithColumns, chunk: Chunk, after: number): Promise<boolean> {
    if (BY_DAY.has(table.name)) await this.#connection.partitions.ensure(timesOf(table, chunk))
    const kinds = Object.values(table.columns)
    const values = chunk.columns.map((column, at) => KINDS[kinds[at]!].toArray(column))
    try {
      return await this.#connection.write(async (tx) => {
        const advance = [table.name, after, chunk.through, chunk.rows]
        if ((await tx.run(sql.advance, advance)) === 0) return false
        await tx.run(insertSql(table), values)
        return true
      })
    } catch (error) {
      if (sqlState(error) === null) throw error
      throw new StoreOpenError(`the database rejects rows of ${table.name}: ${(error as Error).message}`)
    }
  }

  async digest(
    table: TableWithColumns,
    { after, through }: Pick<Range, 'after' | 'through'>,
  ): Promise<Digest> {
    return (await this.#connection.read((tx) => tx.row<Digest>(digestSql(table), [after, through])))!
  }

  /** Sets the counters with which the store continues. */
  async finish(idKey: Uint8Array, keyCheck: Uint8Array, counters: Counters, now: number): Promise<void> {
    await this.#connection.write(async (tx) => {
      await tx.command('SET LOCAL synchronous_commit = on')
      await tx.run(sql.goOn, [idKey, keyCheck, counters.nextEventId, counters.lastSeq])
      await tx.run(sql.setSequence, ['delivery_ids', counters.nextDeliveryId - 1])
      for (const name of IDENTITY_TABLES) await tx.run(sql.setIdentity, [name, counters.largestIds[name]])
      await tx.run(sql.searchTests)
      await tx.run(sql.codesSince)
      await tx.run(sql.forgetProgress)
      await tx.run(sql.finish, [now])
    })
  }

  close(): Promise<void> {
    return this.#connection.close()
  }
}

/** Tables that are kept by day. */
const BY_DAY: ReadonlySet<string> = new Set(['events', 'deliveries', 'attempts'])

function timesOf({ columns }: TableWithColumns, chunk: Chunk): ReadonlySet<number> {
  return new Set(chunk.columns[Object.keys(columns).indexOf('created_at')] as readonly number[])
}

/** Stores rows that are given by column, and the rows that are written along with them. */
function insertSql({ name, columns, beside }: TableWithColumns): string {
  const names = Object.keys(columns).join(', ')
  const arrays = Object.values(columns).map((kind, at) => `$${at + 1}::${KINDS[kind].arrayType}`)
  const given = `given AS (SELECT * FROM unnest(${arrays.join(', ')}) AS x (${names}))`
  const insert = `INSERT INTO ${name} (${names}) SELECT ${names} FROM given`
  if (beside === undefined) return `WITH ${given} ${insert}`
  const theirs = Object.keys(beside.table.columns)
  const ours = theirs.map((column) => sourceOf(beside.table, column))
  return `
    WITH ${given}, stored AS (${insert})
    INSERT INTO ${beside.table.name} (${theirs.join(', ')}) SELECT ${ours.join(', ')} FROM given WHERE ${beside.where}`
}

/** The hash of the rows between two positions of the walk; texts are ordered by bytes, as in the embedded store. */
function digestSql({ name, columns, walk }: TableWithColumns): string {
  const words = Object.entries(columns).map(([column, kind]) => KINDS[kind].wordsSql(column))
  const order = walk.map((column) => (columns[column] === 'text' ? `${column} COLLATE "C"` : column))
  return `
    SELECT count(*) AS rows, sha256(string_agg(
      sha256(convert_to(concat_ws(' ', ${words.join(', ')}), 'UTF8')), ''::bytea ORDER BY ${order.join(', ')})) AS digest
    FROM ${name} WHERE ${walk[0]} > $1 AND ${walk[0]} <= $2`
}

/** Deletes the rows that an earlier move copied. */
const EMPTY = `TRUNCATE ${COMPARED_TABLES.map(({ name }) => name).join(', ')}, leases, limit_owners, move, move_progress`
