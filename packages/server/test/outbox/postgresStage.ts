import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterEach, beforeEach } from 'vitest'
import type { OutboxSession } from '../../src/outbox/source.ts'
import { type PostgresSubject, postgresSubject } from './subjects.ts'

/** An outbox in PostgreSQL for each test, with resources that are closed after it. */
export class PostgresStage {
  subject!: PostgresSubject
  readonly #clients: pg.Client[] = []
  readonly #sessions: OutboxSession[] = []

  constructor() {
    beforeEach(async () => {
      this.subject = await postgresSubject()
    })
    afterEach(async () => {
      for (const session of this.#sessions.splice(0)) await session.close().catch(() => {})
      for (const client of this.#clients.splice(0)) await client.end()
      await this.subject.close()
    })
  }

  async connect(): Promise<pg.Client> {
    const client = await this.subject.connect()
    this.#clients.push(client)
    return client
  }

  /** A session that has all free shards. */
  async open(relay: string = randomUUID()): Promise<OutboxSession> {
    const session = await this.subject.outbox.open(relay)
    this.#sessions.push(session)
    await session.keep()
    return session
  }

  emit(client: pg.Client, workspace: string, event: unknown): Promise<unknown> {
    return client.query('SELECT emit($1, $2)', [workspace, JSON.stringify(event)])
  }
}
