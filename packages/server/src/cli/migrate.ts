import { openStore } from './openStore.ts'
import { announceMasterKey } from './serve.ts'
import type { Config } from './settings.ts'

/** Brings the store up to date without serving; `serve` does the same as it starts. */
export async function migrate(config: Config): Promise<void> {
  const { storage, keyGeneratedIn, place } = await openStore(config)
  await storage.close()
  announceMasterKey(keyGeneratedIn)
  process.stdout.write(`The store in ${place} is up to date.\n`)
}
