import { type Day, dayOf } from '../queries/layout.ts'
import type { Connections } from './connections.ts'
import type { Locks } from './locks.ts'

/** Tables that are kept by day. */
const BY_DAY = [
  'events',
  'deliveries',
  'attempts',
  'search_segments',
  'search_events',
  'search_terms',
  'search_codes',
] as const

/**
 * Leaves free space in the pages of deliveries: a delivery that succeeds grows by some 100 bytes, and its new row version
 * should fit on the same page.
 */
const STORAGE: Partial<Record<(typeof BY_DAY)[number], string>> = { deliveries: 'WITH (fillfactor = 40)' }

const sql = {
  exists: 'SELECT 1 FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname = $1',
}

/** The days with partitions. A day is created when its first event arrives, even if its time is wrong. */
export class Partitions {
  readonly #connections: Connections
  readonly #locks: Locks
  readonly #known = new Set<number>()

  constructor(connections: Connections, locks: Locks) {
    this.#connections = connections
    this.#locks = locks
  }

  /** Creates the missing days of these times. */
  async ensure(times: Iterable<number>): Promise<void> {
    for (const time of times) {
      const day = dayOf(time)
      if (this.#known.has(day.from)) continue
      await this.#make(day)
      this.#known.add(day.from)
    }
  }

  /** A known day was dropped. */
  forget(): void {
    this.#known.clear()
  }

  async #make(day: Day): Promise<void> {
    await this.#connections.call({ pool: 'rest', isolation: 'write' }, async (tx) => {
      if ((await tx.row(sql.exists, [`deliveries_${day.name}`])) !== undefined) return
      await this.#locks.alone(tx, 'partitions')
      if ((await tx.row(sql.exists, [`deliveries_${day.name}`])) !== undefined) return
      for (const table of BY_DAY) await tx.command(creation(table, day))
    })
  }
}

/**
 * The tables are created separately and then attached, which takes no lock that readers and writers of other days wait for.
 * @returns statements
 */
function creation(table: (typeof BY_DAY)[number], { name, from, to }: Day): string {
  const partition = `${table}_${name}`
  const range = `created_at >= ${from} AND created_at < ${to}`
  return `
    CREATE TABLE ${partition} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS, CHECK (${range}))
      ${STORAGE[table] ?? ''};
    ALTER TABLE ${table} ATTACH PARTITION ${partition} FOR VALUES FROM (${from}) TO (${to})`
}

/** @returns the statement that drops a day */
export function dropping({ name }: Day): string {
  return `DROP TABLE ${BY_DAY.map((table) => `${table}_${name}`).join(', ')}`
}
