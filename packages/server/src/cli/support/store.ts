import path from 'node:path'
import { systemClock } from '../../core/clock.ts'
import { migrations } from '../../storage/migrations/index.ts'
import type { SchemaFacts } from '../../storage/migrations/schemaFacts.ts'
import { readDatabaseSchema } from '../../storage/postgres/schemaFacts.ts'
import { placeOf } from '../../storage/postgres/servers.ts'
import { sizeOnDisk } from '../../storage/sqlite/dataDirectory.ts'
import { readEmbeddedSchema } from '../../storage/sqlite/schemaFacts.ts'
import type { Config } from '../settings.ts'
import { jsonText } from './bundle.ts'

/** Reads the store directly, so that it works while no service runs. @throws StoreOpenError (rejects) */
export async function storeJson({ dataDir, databaseUrl }: Config): Promise<string> {
  return databaseUrl === null
    ? factsJson(readEmbeddedSchema(dataDir), { place: path.resolve(dataDir), bytes: sizeOnDisk(dataDir) })
    : factsJson(await readDatabaseSchema(databaseUrl, systemClock), { place: placeOf(databaseUrl) })
}

const factsJson = ({ engine, applied }: SchemaFacts, others: object): string =>
  jsonText({
    engine,
    ...others,
    schema_version: applied.at(-1)?.version ?? 0,
    schema_version_of_this_program: migrations.at(-1)!.version,
    migrations: applied.map(({ version, name, appliedAt }) => ({
      version,
      name,
      applied_at: new Date(appliedAt).toISOString(),
    })),
  })
