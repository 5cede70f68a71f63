import type { Clock } from '../../core/clock.ts'
import type { MigrationPlan } from '../migrations/plan.ts'
import { StoreOpenError } from '../storage.ts'
import { Connections } from './connections.ts'
import { planMigration } from './migrate.ts'
import { SCHEMA } from './open.ts'
import { refusalOf } from './servers.ts'

/**
 * The effect of this program's first node on the schema of a database. Reads only, while nodes run.
 * @throws StoreOpenError (rejects) with one line for the operator
 */
export async function planDatabaseMigration(
  url: string,
  clock: Clock,
  schema = SCHEMA,
): Promise<MigrationPlan> {
  const connections = new Connections({ url, schema }, clock)
  try {
    return await connections.call({ pool: 'rest', isolation: 'snapshot', noTimeout: true }, (tx) =>
      planMigration(tx, { schema, clock }),
    )
  } catch (error) {
    if (error instanceof StoreOpenError) throw error
    throw new StoreOpenError(`the database cannot be used: ${refusalOf(url, error)}`)
  } finally {
    await connections.close()
  }
}
