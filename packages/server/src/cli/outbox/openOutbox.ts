import { systemClock } from '../../core/clock.ts'
import { PostgresOutbox } from '../../outbox/postgres/outbox.ts'
import type { Outbox } from '../../outbox/source.ts'

/** @param source URL of a PostgreSQL database, or `sqlite:` and the path of a file; checked */
export function openOutbox(source: string, schema: string): Outbox {
  return new PostgresOutbox({ url: source, schema, clock: systemClock })
}
