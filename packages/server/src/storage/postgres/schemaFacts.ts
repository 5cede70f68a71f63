import type { Clock } from '../../core/clock.ts'
import type { AppliedMigration, SchemaFacts } from '../migrations/schemaFacts.ts'
import { StoreOpenError } from '../storage.ts'
import { Connections } from './connections.ts'
import { SCHEMA } from './open.ts'
import { refusalOf } from './servers.ts'

const sql = {
  version: `SELECT current_setting('server_version') AS version`,
  tableExists: `SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'migrations'`,
  applied: 'SELECT version, name, applied_at AS "appliedAt" FROM migrations ORDER BY version',
}

/**
 * Reads only, while nodes run.
 * @throws StoreOpenError (rejects) with one line for the operator
 */
export async function readDatabaseSchema(url: string, clock: Clock, schema = SCHEMA): Promise<SchemaFacts> {
  const connections = new Connections({ url, schema }, clock)
  try {
    return await connections.call({ pool: 'rest', isolation: 'snapshot' }, async (tx) => ({
      engine: `PostgreSQL ${(await tx.row<{ version: string }>(sql.version))!.version}`,
      applied:
        (await tx.row(sql.tableExists, [schema])) === undefined
          ? []
          : await tx.rows<AppliedMigration>(sql.applied),
    }))
  } catch (error) {
    throw new StoreOpenError(`the database cannot be used: ${refusalOf(url, error)}`)
  } finally {
    await connections.close()
  }
}
