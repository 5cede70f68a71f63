import type { Tx } from '../postgres/transaction.ts'
import { MOVED_TABLES } from './tables.ts'

const sql = {
  server: `
    SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
      has_database_privilege(current_database(), 'CREATE') AS may_create`,
  schema: `SELECT has_schema_privilege(oid, 'CREATE') AS may_create FROM pg_namespace WHERE nspname = $1`,
  tables: 'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1',
  serving: 'SELECT count(*) AS nodes FROM nodes WHERE lease_until > now_ms()',
  keyCheck: 'SELECT key_check FROM store',
  move: 'SELECT store_key, state, finished_at FROM move',
}

/** An earlier, unfinished move. */
export interface EarlierMove {
  /** The id key of the store that was moved. */
  readonly storeKey: Uint8Array
  /** The state of that store at the time. */
  readonly state: Uint8Array
  readonly finished: boolean
}

/** The store in the target database, if any. */
export interface TargetFacts {
  /** In PostgreSQL's numbering of releases: 140005. */
  readonly serverVersion: number
  readonly encoding: string
  /** Whether tables can be created. */
  readonly mayCreate: boolean
  /** Tables that have rows. */
  readonly filled: readonly string[]
  /** Nodes that serve it. */
  readonly nodes: number
  readonly keyCheck: Uint8Array | null
  readonly move: EarlierMove | null
}

/** Reads the database and changes nothing. */
export async function readTargetFacts(tx: Tx, schema: string): Promise<TargetFacts> {
  const server = (await tx.row<{ version: number; encoding: string; may_create: boolean }>(sql.server))!
  const found = await tx.row<{ may_create: boolean }>(sql.schema, [schema])
  const tables = (await tx.rows<{ name: string }>(sql.tables, [schema])).map(({ name }) => name)
  const facts = {
    serverVersion: server.version,
    encoding: server.encoding,
    mayCreate: found?.may_create ?? server.may_create,
  }
  // A role that may not create tables may not even see the existing ones.
  if (!facts.mayCreate || !tables.includes('migrations'))
    return { ...facts, filled: [], nodes: 0, keyCheck: null, move: null }
  return { ...facts, filled: await filledTables(tx, tables), ...(await readState(tx, tables)) }
}

async function readState(
  tx: Tx,
  tables: readonly string[],
): Promise<Pick<TargetFacts, 'nodes' | 'keyCheck' | 'move'>> {
  const serving = await tx.row<{ nodes: number }>(sql.serving)
  const store = await tx.row<{ key_check: Uint8Array | null }>(sql.keyCheck)
  // An earlier release, without moves, may have created the tables.
  const move = tables.includes('move') ? await readMove(tx) : null
  return { nodes: serving!.nodes, keyCheck: store!.key_check, move }
}

async function readMove(tx: Tx): Promise<EarlierMove | null> {
  interface Row {
    readonly store_key: Uint8Array
    readonly state: Uint8Array
    readonly finished_at: number | null
  }
  const row = await tx.row<Row>(sql.move)
  if (row === undefined) return null
  return { storeKey: row.store_key, state: row.state, finished: row.finished_at !== null }
}

/** Written by any node that was started; may be replaced. */
const OF_ANY_NODE = ['queue_samples', 'egress', 'outages']

async function filledTables(tx: Tx, tables: readonly string[]): Promise<string[]> {
  const filled: string[] = []
  for (const { name } of MOVED_TABLES)
    if (
      !OF_ANY_NODE.includes(name) &&
      tables.includes(name) &&
      (await tx.row(`SELECT 1 FROM ${name} LIMIT 1`)) !== undefined
    )
      filled.push(name)
  return filled
}
