import { systemClock } from '../../src/core/clock.ts'
import { openPostgresStorage, type PostgresStorage } from '../../src/storage/postgres/open.ts'
import { flat } from '../support/flatStorage.ts'
import { storeSchema } from '../support/storeSchema.ts'
import type { OpenedStore } from './conformance/subject.ts'

/** A store on the tests' PostgreSQL server, in its own schema. */
export async function openTemporaryPostgres(): Promise<OpenedStore> {
  const { url, name: schema, drop } = await storeSchema()
  const opened: PostgresStorage[] = []
  const open = async () => {
    const storage = flat(await openPostgresStorage({ url, schema, clock: systemClock }))
    opened.push(storage)
    return storage
  }
  let current = await open()
  return {
    storage: current,
    exclusive: false,
    expiresByRow: false,
    async reopen() {
      await current.close()
      current = await open()
      return current
    },
    async cleanup() {
      for (const storage of opened) await storage.close()
      await drop()
    },
  }
}
