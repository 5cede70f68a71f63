import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import type pg from 'pg'
import { eventForms } from '../../src/cli/outbox/eventForms.ts'
import { systemClock } from '../../src/core/clock.ts'
import { PostgresOutbox } from '../../src/outbox/postgres/outbox.ts'
import { outboxSql } from '../../src/outbox/postgres/schema.ts'
import type { Outbox, OutboxRow, OutboxSession } from '../../src/outbox/source.ts'
import { SqliteOutbox } from '../../src/outbox/sqlite/outbox.ts'
import { outboxSqliteSql } from '../../src/outbox/sqlite/schema.ts'
import { newTestSchema } from '../support/testSchema.ts'

/** An outbox in a producer's database, and the producer. */
export interface Subject {
  readonly outbox: Outbox
  /** Emits in one transaction. Rejects with the database's error. */
  emit(workspace: string | null, ...events: readonly unknown[]): Promise<void>
  /** Emits, and rolls back. */
  emitAndRollBack(workspace: string, event: unknown): Promise<void>
  /** As if closed relays had been silent for longer than their lease. */
  expireLeases(): Promise<void>
  close(): Promise<void>
}

export interface PostgresSubject extends Subject {
  readonly schema: string
  connect(): Promise<pg.Client>
}

const FORMS = eventForms(['ads', 'content'])

export async function postgresSubject(): Promise<PostgresSubject> {
  const schema = await newTestSchema()
  const client = await schema.connect()
  await client.query(outboxSql({ schema: schema.name, forms: FORMS }))
  const emit = (workspace: string | null, event: unknown) =>
    client.query(`SELECT ${schema.name}.emit($1, $2)`, [workspace, JSON.stringify(event)])
  const within = async (end: 'COMMIT' | 'ROLLBACK', workspace: string | null, events: readonly unknown[]) => {
    await client.query('BEGIN')
    try {
      for (const event of events) await emit(workspace, event)
    } catch (error) {
      await client.query('ROLLBACK')
      throw error
    }
    await client.query(end)
  }
  return {
    schema: schema.name,
    connect: schema.connect,
    outbox: new PostgresOutbox({ url: schema.url, schema: schema.name, clock: systemClock }),
    emit: (workspace, ...events) => within('COMMIT', workspace, events),
    emitAndRollBack: (workspace, event) => within('ROLLBACK', workspace, [event]),
    async expireLeases() {
      await client.query(`DELETE FROM outbox_relay`)
    },
    async close() {
      await client.end()
      await schema.drop()
    },
  }
}

export async function sqliteSubject(): Promise<Subject> {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'posthorn-outbox-'))
  const file = path.join(directory, 'shop.db')
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.exec(outboxSqliteSql(FORMS))
  const insert = db.prepare('INSERT INTO posthorn_outbox (workspace, event) VALUES (?, ?)')
  return {
    outbox: new SqliteOutbox({ file, clock: systemClock }),
    async emit(workspace, ...events) {
      db.transaction(() => {
        for (const event of events) insert.run(workspace, JSON.stringify(event))
      })()
    },
    async emitAndRollBack(workspace, event) {
      db.exec('BEGIN')
      insert.run(workspace, JSON.stringify(event))
      db.exec('ROLLBACK')
    },
    async expireLeases() {
      db.exec('UPDATE posthorn_outbox_lease SET leased_until = 0')
    },
    async close() {
      db.close()
      rmSync(directory, { recursive: true })
    },
  }
}

let made = 0

/** An event with a unique `n`. */
export const eventOf = (n: number = made++) => ({ type: 'order.created', data: { n } })

/** The `n` of a row. */
export const numberOf = ({ event }: { readonly event: string | null }): number =>
  (JSON.parse(event!) as { readonly data: { readonly n: number } }).data.n

/** Reads all events, as a relay that publishes them. */
export async function readAll(
  session: OutboxSession,
  except: ReadonlySet<number> = new Set(),
): Promise<OutboxRow[]> {
  const rows: OutboxRow[] = []
  for (;;) {
    const batch = await session.read(except)
    rows.push(...batch.rows)
    session.passed(batch)
    if (!batch.more) return rows
  }
}
