import { createHash } from 'node:crypto'
import { migrations } from '../migrations/index.ts'
import type { Migration } from '../migrations/migration.ts'
import { StoreOpenError } from '../storage.ts'
import type { Connections } from './connections.ts'
import { isForbidden } from './failures.ts'
import type { Locks } from './locks.ts'
import type { Tx } from './transaction.ts'

/** The oldest release that is tested. */
export const MIN_SERVER_VERSION = 140_000

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
  /** Why no store may be made in a database that has none; `null` or absent: it may. */
  readonly whyNotNew?: string | null
}

/**
 * Brings the schema up to this program's version. Any number of nodes may do so at once: one does it, in one
 * transaction, and the others wait.
 * @throws StoreOpenError when the database cannot have the store, or its schema is too new for the program or was made by
 * another edition of a migration, or when it has none and none may be made.
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
        `the user of POSTHORN_DATABASE_URL may not make tables in ${connections.place}`,
      )
    })
    const applied = await tx.rows<Applied>(sql.applied)
    const isNew = applied.length === 0
    if (isNew && whyNotNew !== null) throw new StoreOpenError(whyNotNew)
    refuseTooNew(applied, wanted)
    const checksums = new Map(applied.map((row) => [row.version, row.checksum]))
    for (const migration of wanted) {
      const checksum = checksums.get(migration.version)
      if (checksum === undefined) await apply(tx, migration, params.now)
      else if (checksum !== checksumOf(migration))
        throw new StoreOpenError(
          `the database was made by another edition of migration ${migration.version} (${migration.name})`,
        )
    }
    return isNew
  })
}

/** @throws StoreOpenError when a newer program has changed the schema so that this one cannot work on it. */
export async function refuseNewerSchema(tx: Tx, wanted: readonly Migration[]): Promise<void> {
  refuseTooNew(await tx.rows<Applied>(sql.applied), wanted)
}

async function refuseUnfit(tx: Tx): Promise<void> {
  const server = (await tx.row<{ number: number; version: string; encoding: string }>(sql.server))!
  if (server.number < MIN_SERVER_VERSION)
    throw new StoreOpenError(`PostgreSQL 14 or later is needed, and this is ${server.version}`)
  // Found out later, it would be a publish that fails, and only some of them.
  if (server.encoding !== 'UTF8')
    throw new StoreOpenError(
      `the database keeps texts in ${server.encoding}; one with the encoding UTF8 is needed`,
    )
}

async function prepare(tx: Tx, schema: string): Promise<void> {
  // Asked first: a role that may not create schemas can use one that was made for it.
  if ((await tx.row(sql.schemaExists, [schema])) === undefined)
    await tx.command(`CREATE SCHEMA "${schema.replaceAll('"', '""')}"`)
  if ((await tx.row(sql.tableExists, [schema])) === undefined) await tx.command(sql.createTable)
}

function refuseTooNew(applied: readonly Applied[], wanted: readonly Migration[]): void {
  const known = wanted.at(-1)?.version ?? 0
  const breaking = applied.find((row) => row.works_from > known)
  if (breaking !== undefined)
    throw new StoreOpenError(
      `the database has schema version ${applied.at(-1)!.version}, this program knows ${known}: ` +
        'it was last used by a newer posthorn',
    )
}

async function apply(tx: Tx, migration: Migration, now: number): Promise<void> {
  await tx.command(migration.postgres)
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
