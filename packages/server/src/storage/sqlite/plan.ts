import path from 'node:path'
import type { Clock } from '../../core/clock.ts'
import { migrations } from '../migrations/index.ts'
import { type MigrationPlan, planSteps } from '../migrations/plan.ts'
import { StoreOpenError } from '../storage.ts'
import { openReadOnly } from './connection.ts'
import { databaseFile } from './dataDirectory.ts'
import { openFailure } from './failures.ts'
import { missingMigrations } from './migrate.ts'
import { refuseMoved, refuseOtherThanStore } from './storeFacts.ts'

/**
 * The effect of opening the store in a data directory on its schema. Reads only, also while a service uses the store.
 * @param dataDir `null`: there is no store yet
 * @throws StoreOpenError with one line for the operator, as opening it does
 */
export async function planEmbeddedMigration(
  dataDir: string | null,
  clock: Pick<Clock, 'monotonic'>,
): Promise<MigrationPlan> {
  const store = 'sqlite'
  const to = migrations.at(-1)!.version
  if (dataDir === null) {
    const steps = await planSteps({ missing: migrations, store, clock, count: async () => 0 })
    return { from: 0, to, steps, liveNodes: 0 }
  }
  try {
    const db = openReadOnly(databaseFile(path.resolve(dataDir)))
    try {
      refuseOtherThanStore(db, false)
      refuseMoved(db, dataDir)
      const missing = missingMigrations(db)
      const count = async (table: string) =>
        db.prepare<[], number>(`SELECT count(*) FROM ${table} NOT INDEXED`).pluck().get()!
      const steps = await planSteps({ missing, store, clock, count })
      return { from: to - missing.length, to, steps, liveNodes: 0 }
    } finally {
      db.close()
    }
  } catch (error) {
    throw new StoreOpenError(openFailure(path.resolve(dataDir), error))
  }
}
