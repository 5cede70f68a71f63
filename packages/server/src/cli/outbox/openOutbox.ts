import { systemClock } from '../../core/clock.ts'
import { PostgresOutbox } from '../../outbox/postgres/outbox.ts'
import type { Outbox } from '../../outbox/source.ts'
import { SettingError } from '../settings.ts'

/** The schema of an outbox, unless a command says another. */
export const DEFAULT_SCHEMA = 'posthorn'

/**
 * The outbox that a producer's database has.
 * @param source URL of a PostgreSQL database, or `sqlite:` and the path of a file
 * @throws SettingError
 */
export function openOutbox(source: string, schema: string): Outbox {
  if (/^postgres(ql)?:\/\//.test(source))
    return new PostgresOutbox({ url: source, schema, clock: systemClock })
  throw new SettingError(
    '--source: give the URL of a PostgreSQL database, such as postgres://posthorn@db.internal/shop, or sqlite: and the path of a file',
  )
}
