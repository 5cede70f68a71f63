import type pg from 'pg'
import { systemClock } from '../../../src/core/clock.ts'
import { Connections } from '../../../src/storage/postgres/connections.ts'
import { Locks } from '../../../src/storage/postgres/locks.ts'
import { migrate } from '../../../src/storage/postgres/migrate.ts'
import { Partitions } from '../../../src/storage/postgres/partitions.ts'
import type { Tx } from '../../../src/storage/postgres/transaction.ts'
import { newTestSchema } from '../../support/testSchema.ts'

/** The tables of a store without the rest of it. */
export interface Database {
  readonly connections: Connections
  readonly locks: Locks
  /** Where its tables are. */
  readonly schema: string
  readonly partitions: Partitions
  /** Sees the tables without the driver's settings. */
  readonly client: pg.Client
  /** Runs `work` as a reading call does. */
  snapshot<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  write<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  /** Removes it. */
  close(): Promise<void>
}

/** An empty database. */
export async function openDatabase(): Promise<Database> {
  const schema = await newTestSchema()
  const connections = new Connections({ url: schema.url, schema: schema.name }, systemClock)
  const locks = new Locks(schema.name)
  await migrate({ connections, locks, schema: schema.name, now: 0 })
  const client = await schema.connect()
  return {
    connections,
    locks,
    schema: schema.name,
    client,
    partitions: new Partitions(connections, locks),
    snapshot: (work) => connections.call({ pool: 'rest', isolation: 'snapshot' }, work),
    write: (work) => connections.call({ pool: 'rest', isolation: 'write' }, work),
    async close() {
      await client.end()
      await connections.close()
      await schema.drop()
    },
  }
}
