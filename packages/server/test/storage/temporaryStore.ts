import { rm } from 'node:fs/promises'
import { systemClock } from '../../src/core/clock.ts'
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts'
import { type FlatStorage, flat } from '../support/flatStorage.ts'
import { makeStoreDirectory } from '../support/storeDirectory.ts'
import type { OpenedStore } from './conformance/subject.ts'

/** An embedded store in its own directory. */
export async function openTemporaryStore(): Promise<OpenedStore> {
  const dataDir = makeStoreDirectory()
  const open = async () => flat(await openSqliteStorage({ dataDir, clock: systemClock }))
  let current: FlatStorage = await open()
  return {
    storage: current,
    exclusive: true,
    expiresByRow: true,
    async reopen() {
      await current.close()
      current = await open()
      return current
    },
    async cleanup() {
      await current.close()
      await rm(dataDir, { recursive: true })
    },
  }
}
