import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { systemClock } from '../../src/core/clock.ts'
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts'
import { type FlatStorage, flat } from '../support/flatStorage.ts'
import type { OpenedStore } from './conformance/subject.ts'

/** An embedded store in a directory of its own. */
export async function openTemporaryStore(): Promise<OpenedStore> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'posthorn-store-'))
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
