import { systemClock } from '../../core/clock.ts'
import type { Outbox } from '../../outbox/source.ts'

const SQLITE = 'sqlite:'

/** @param source URL of a PostgreSQL database, or `sqlite:` and the path of a file; validated by `outboxSource` */
export async function openOutbox(source: string, schema: string): Promise<Outbox> {
  if (source.startsWith(SQLITE)) {
    const { SqliteOutbox } = await import('../../outbox/sqlite/outbox.ts')
    return new SqliteOutbox({ file: source.slice(SQLITE.length), clock: systemClock })
  }
  const { PostgresOutbox } = await import('../../outbox/postgres/outbox.ts')
  return new PostgresOutbox({ url: source, schema, clock: systemClock })
}
