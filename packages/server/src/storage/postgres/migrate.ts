import { createHash } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { migrations } from '../migrations/index.ts'
import type { Migration } from '../migrations/migration.ts'
import { breakingSteps, type MigrationPlan, planSteps } from '../migrations/plan.ts'
import { StoreOpenError } from '../storage.ts'
import type { Connections } from './connections.ts'
import { isForbidden, isLockTimeout } from './failures.ts'
import type { Locks } from './locks.ts'
import type { Tx } from './transaction.ts'

/** The oldest release that is tested. */
export const MIN_SERVER_VERSION = 140_000
/** While a migration waits for a table that another transaction uses, nodes wait behind it. */
const LOCK_WITHIN_MS = 3_000

const sql = {
  server: `
    SELECT current_setting('server_version_num')::int AS number, version() AS version,
      current_setting('server_encoding') AS encoding`,
  schemaExists: 'SELECT 1 FROM pg_namespace WHERE nspname = $1',
  tableExists: `SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'migrations'`,
  createTable: `
    CREATE TABLE migrations (
      version integer PRIMARY KEY,
      name text NOT NULL,
      checksum text NOT NULL,
      works_from integer NOT NULL,
      applied_at bigint NOT NULL
    )`,
  applied: 'SELECT version, name, checksum, works_from FROM migrations ORDER BY version',
  liveNodes: 'SELECT count(*) AS nodes FROM nodes WHERE lease_until > now_ms()',
  record: `
    INSERT INTO migrations (version, name, checksum, works_from, applied_at) VALUES ($1, $2, $3, $4, $5)`,
}

interface Applied {
  readonly version: number
  readonly name: string
  readonly checksum: string
  readonly works_from: number
}

export interface MigrateParams {
  readonly connections: Connections
  readonly locks: Locks
  readonly schema: string
  readonly now: number
  readonly wanted?: readonly Migration[]
  /** Why no store may be created in an empty database; `null` or absent: it may. */
  readonly whyNotNew?: string | null
}

/**
 * Brings the schema up to this program's version. Any number of nodes may do so at the same time: one does it, in one
 * transaction, and the others wait.
 * @throws StoreOpenError when the database cannot have the store, its schema is too new for the program or has another edition
 *   of a migration, it has no schema and none may be created, or nodes run that could not continue
 * @returns whether there was no store before
 */
export function migrate(params: MigrateParams): Promise<boolean> {
  const { connections, wanted = migrations, whyNotNew = null } = params
  return connections.call({ pool: 'rest', isolation: 'write', noTimeout: true }, async (tx) => {
    await refuseUnfit(tx)
    await params.locks.alone(tx, 'migrate')
    await prepare(tx, params.schema).catch((error) => {
      if (!isForbidden(error)) throw error
      throw new StoreOpenError(
        `the user of POSTHORN_DATABASE_URL has no permission to create tables in ${connections.place}`,
      )
    })
    const applied = await tx.rows<Applied>(sql.applied)
    const isNew = applied.length === 0
    if (isNew && whyNotNew !== null) throw new StoreOpenError(whyNotNew)
    const missing = missingMigrations(applied, wanted)
    if (!isNew) await refuseBesideOlder(tx, missing, versionOf(applied))
    await tx.command(`SET LOCAL lock_timeout = ${LOCK_WITHIN_MS}`)
    for (const migration of missing) await apply(tx, migration, params.now)
    return isNew
  })
}

/**
 * The effect of {@link migrate}. Reads only.
 * @throws StoreOpenError as it does, except for running nodes
 */
export async function planMigration(
  tx: Tx,
  params: {
    readonly schema: string
    readonly clock: Pick<Clock, 'monotonic'>
    readonly wanted?: readonly Migration[]
  },
): Promise<MigrationPlan> {
  const { schema, clock, wanted = migrations } = params
  await refuseUnfit(tx)
  const hasStore = (await tx.row(sql.tableExists, [schema])) !== undefined
  const applied = hasStore ? await tx.rows<Applied>(sql.applied) : []
  const missing = missingMigrations(applied, wanted)
  const from = versionOf(applied)
  // The same way as migrations that read whole tables.
  await tx.command('SET LOCAL enable_seqscan = on')
  const count = async (table: string) =>
    (await tx.row<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`))!.rows
  return {
    from,
    to: wanted.at(-1)!.version,
    // Tables that a migration creates are empty.
    steps: await planSteps({ missing, store: 'postgres', clock, count: from === 0 ? async () => 0 : count }),
    liveNodes: from === 0 ? 0 : await liveNodes(tx),
  }
}

/** @throws StoreOpenError when a newer program has changed the schema so that this one cannot use it. */
export async function refuseNewerSchema(tx: Tx, wanted: readonly Migration[]): Promise<void> {
  refuseTooNew(await tx.rows<Applied>(sql.applied), wanted)
}

async function refuseUnfit(tx: Tx): Promise<void> {
  const server = (await tx.row<{ number: number; version: string; encoding: string }>(sql.server))!
  if (server.number < MIN_SERVER_VERSION)
    throw new StoreOpenError(`PostgreSQL 14 or later is required; this is ${server.version}`)
  // Checked now; otherwise some publishes would fail later.
  if (server.encoding !== 'UTF8')
    throw new StoreOpenError(
      `the database has the encoding ${server.encoding}; use a database with the encoding UTF8`,
    )
}

async function prepare(tx: Tx, schema: string): Promise<void> {
  // Checked first: a role that may not create schemas can use one that was created for it.
  if ((await tx.row(sql.schemaExists, [schema])) === undefined)
    await tx.command(`CREATE SCHEMA "${schema.replaceAll('"', '""')}"`)
  if ((await tx.row(sql.tableExists, [schema])) === undefined) await tx.command(sql.createTable)
}

/** @throws StoreOpenError when the program cannot use the schema, or has another edition of a migration */
function missingMigrations(applied: readonly Applied[], wanted: readonly Migration[]): readonly Migration[] {
  refuseTooNew(applied, wanted)
  const checksums = new Map(applied.map((row) => [row.version, row.checksum]))
  return wanted.filter((migration) => {
    const checksum = checksums.get(migration.version)
    if (checksum !== undefined && checksum !== checksumOf(migration))
      throw new StoreOpenError(
        `the database was created by a different migration ${migration.version} (${migration.name})`,
      )
    return checksum === undefined
  })
}

/**
 * Running nodes would exit once the schema has changed, and their supervisors could not restart them.
 * @throws StoreOpenError while there are nodes that could not continue
 */
async function refuseBesideOlder(tx: Tx, missing: readonly Migration[], version: number): Promise<void> {
  const breaking = breakingSteps(missing, version)
  const nodes = breaking.length === 0 ? 0 : await liveNodes(tx)
  if (nodes > 0) throw new StoreOpenError(olderNodesRefusal(nodes, version, missing.at(-1)!.version))
}

const olderNodesRefusal = (nodes: number, from: number, to: number): string =>
  `${nodes} ${nodes === 1 ? 'node of an earlier release is' : 'nodes of an earlier release are'} running, and cannot work with schema version ${to} (now ${from}). Stop ${nodes === 1 ? 'it' : 'them'} first; \`posthorn migrate --plan\` shows why. A node that was killed counts until its lease expires`

async function liveNodes(tx: Tx): Promise<number> {
  return (await tx.row<{ nodes: number }>(sql.liveNodes))!.nodes
}

const versionOf = (applied: readonly Applied[]): number => applied.at(-1)?.version ?? 0

function refuseTooNew(applied: readonly Applied[], wanted: readonly Migration[]): void {
  const known = wanted.at(-1)?.version ?? 0
  const breaking = applied.find((row) => row.works_from > known)
  if (breaking !== undefined)
    throw new StoreOpenError(
      `the database has schema version ${versionOf(applied)}, this release supports up to ${known}: ` +
        'it was last used by a newer posthorn. Run that one, or restore a dump from before the upgrade',
    )
}

async function apply(tx: Tx, migration: Migration, now: number): Promise<void> {
  await tx.command(migration.postgres).catch((error: unknown) => {
    if (!isLockTimeout(error)) throw error
    throw new StoreOpenError(
      `migration ${migration.version} (${migration.name}) waited ${LOCK_WITHIN_MS / 1000} s for a table that another transaction uses, such as that of pg_dump. Nothing was changed. Run it again when that transaction has ended`,
    )
  })
  await tx.run(sql.record, [
    migration.version,
    migration.name,
    checksumOf(migration),
    migration.worksFrom,
    now,
  ])
}

function checksumOf(migration: Migration): string {
  return createHash('sha256').update(migration.postgres).digest('hex')
}
