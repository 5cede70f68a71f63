import type { StoreFacts } from '../http/shared/storeFacts.ts'
import { migrations } from '../storage/migrations/index.ts'
import type { PostgresStorage } from '../storage/postgres/open.ts'
import { sizeOnDisk } from '../storage/sqlite/dataDirectory.ts'

const schemaVersion = migrations.at(-1)!.version

export const embeddedFacts = (dataDir: string): StoreFacts => ({
  kind: 'embedded',
  schemaVersion,
  bytes: async () => sizeOnDisk(dataDir),
})

export const postgresFacts = (storage: Pick<PostgresStorage, 'size'>): StoreFacts => ({
  kind: 'postgresql',
  schemaVersion,
  bytes: () => storage.size(),
})
