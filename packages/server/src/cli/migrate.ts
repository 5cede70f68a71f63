import { systemClock } from '../core/clock.ts'
import { openSqliteStorage } from '../storage/sqlite/open.ts'
import { keepMasterKey } from './generatedKeys.ts'
import { tellOfMasterKey } from './serve.ts'
import type { Config } from './settings.ts'

/** Brings the store up to date without serving; `serve` does the same as it starts. */
export async function migrate(config: Config): Promise<void> {
  const { generatedIn } = keepMasterKey(config)
  const storage = await openSqliteStorage({ dataDir: config.dataDir, clock: systemClock })
  await storage.close()
  tellOfMasterKey(generatedIn)
  process.stdout.write(`The store in ${config.dataDir} is up to date.\n`)
}
