import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/node-postgres'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { postgresUrl } from '../../../../harness/test/postgresUrl.ts'
import type { AdsEventToPublish } from '../../src/index.ts'
import { createOutbox as createDrizzleOutbox } from '../../src/outbox/drizzle.ts'
import { createOutbox as createKyselyOutbox } from '../../src/outbox/kysely.ts'
import { createOutbox as createPgOutbox } from '../../src/outbox/pg.ts'
import { createOutbox as createPrismaOutbox, type PrismaTransaction } from '../../src/outbox/prisma.ts'
import { createOutbox as createSqliteOutbox } from '../../src/outbox/sqlite.ts'

const PROGRAM = fileURLToPath(new URL('../../../server/bin/posthorn.js', import.meta.url))
const outboxSql = (...flags: readonly string[]) =>
  execFileSync(process.execPath, [PROGRAM, 'outbox', 'sql', ...flags], { encoding: 'utf8' })

const EVENT: AdsEventToPublish = {
  type: 'campaign.status_changed.v1',
  entityType: 'campaign',
  entityId: '01a03f3d-6c1b-7d54-8f2a-91b7e5c0d3a6',
  payload: { from: 'active', to: 'paused' },
}

const UNDO = new Error('undo')

describe('outbox helpers on PostgreSQL', () => {
  // A quote in a name must not end it.
  const schema = `test "${randomBytes(6).toString('hex')}"`
  let pool: pg.Pool

  beforeAll(async () => {
    pool = new pg.Pool({ connectionString: await postgresUrl(), max: 4 })
    await pool.query(outboxSql('--schema', schema))
  })
  beforeEach(() => pool.query(`TRUNCATE ${pg.escapeIdentifier(schema)}.outbox`))
  afterAll(async () => {
    await pool.query(`DROP SCHEMA ${pg.escapeIdentifier(schema)} CASCADE`)
    await pool.end()
  })

  const emitted = async () =>
    (await pool.query(`SELECT workspace, event FROM ${pg.escapeIdentifier(schema)}.outbox ORDER BY id`)).rows

  type Emit = (workspace: string, event: AdsEventToPublish) => Promise<string>
  type EmitMany = (workspace: string, events: readonly AdsEventToPublish[]) => Promise<string[]>
  type InTransaction = (work: (emit: Emit, emitMany: EmitMany) => Promise<void>) => Promise<void>

  const withPg: InTransaction = async (work) => {
    const outbox = createPgOutbox<AdsEventToPublish>({ schema })
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      await work(
        (...given) => outbox.emit(client, ...given),
        (...given) => outbox.emitMany(client, ...given),
      )
      await client.query('COMMIT')
    } catch (error) {
      await client.query('ROLLBACK')
      throw error
    } finally {
      client.release()
    }
  }
  const withKysely: InTransaction = (work) => {
    const outbox = createKyselyOutbox<AdsEventToPublish>({ schema })
    return new Kysely<{ campaign: { id: string } }>({ dialect: new PostgresDialect({ pool }) })
      .transaction()
      .execute((transaction) =>
        work(
          (...given) => outbox.emit(transaction, ...given),
          (...given) => outbox.emitMany(transaction, ...given),
        ),
      )
  }
  const withDrizzle: InTransaction = (work) => {
    const outbox = createDrizzleOutbox<AdsEventToPublish>({ schema })
    return drizzle(pool).transaction((transaction) =>
      work(
        (...given) => outbox.emit(transaction, ...given),
        (...given) => outbox.emitMany(transaction, ...given),
      ),
    )
  }
  /** The only method of Prisma's client that is used, on a connection of `pg`. */
  const withPrisma: InTransaction = async (work) => {
    const outbox = createPrismaOutbox<AdsEventToPublish>({ schema })
    const client = await pool.connect()
    const transaction: PrismaTransaction = {
      $queryRawUnsafe: async <T>(query: string, ...values: unknown[]) => {
        const { rows } = await client.query(query, values)
        return rows as T
      },
    }
    try {
      await client.query('BEGIN')
      await work(
        (...given) => outbox.emit(transaction, ...given),
        (...given) => outbox.emitMany(transaction, ...given),
      )
      await client.query('COMMIT')
    } catch (error) {
      await client.query('ROLLBACK')
      throw error
    } finally {
      client.release()
    }
  }

  describe.each<[string, InTransaction]>([
    ['pg', withPg],
    ['Kysely', withKysely],
    ['Drizzle', withDrizzle],
    ['the method that Prisma has', withPrisma],
  ])('with %s', (_, inTransaction) => {
    it("emits with the transaction, and returns the event's id", async () => {
      let id = ''
      await inTransaction(async (emit) => {
        id = await emit('acme', EVENT)
        expect(await emitted()).toEqual([])
      })
      expect(await emitted()).toEqual([
        { workspace: 'acme', event: { ...EVENT, id, occurredAt: expect.any(String) } },
      ])
    })

    it('emits several in order, and keeps their ids', async () => {
      const ids = Array.from({ length: 3 }, (_, n) => `01a03f3d-6c1b-7d54-8f2a-91b7e5c0d3a${n}`)
      const events = ids.map((id) => ({ ...EVENT, id, payload: { from: "it's", to: 'a "test"' } }))
      await inTransaction(async (_emit, emitMany) => {
        expect(await emitMany('acme', events)).toEqual(ids)
      })
      expect((await emitted()).map(({ event }) => event.id)).toEqual(ids)
      expect((await emitted())[0].event.payload).toEqual({ from: "it's", to: 'a "test"' })
    })

    it('emits nothing when the transaction is rolled back', async () => {
      const undone = inTransaction(async (emit) => {
        await emit('acme', EVENT)
        throw UNDO
      })
      await expect(undone).rejects.toBe(UNDO)
      expect(await emitted()).toEqual([])
    })
  })
})

describe('outbox helper on SQLite', () => {
  it("emits with the transaction, and returns the event's id", () => {
    const db = new Database(':memory:')
    db.exec(outboxSql('--for', 'sqlite'))
    const outbox = createSqliteOutbox<AdsEventToPublish>(db)
    const emit = db.transaction((undo: boolean) => {
      const id = outbox.emit('acme', EVENT)
      if (undo) throw UNDO
      return id
    })
    const id = emit(false)
    expect(() => emit(true)).toThrow(UNDO)
    const rows = db.prepare('SELECT workspace, event FROM posthorn_outbox').all() as { event: string }[]
    expect(rows.map(({ event }) => JSON.parse(event).id)).toEqual([id])
  })
})

describe('types of outbox helpers', () => {
  it('require the data that belongs to the type of an event', () => {
    const outbox = createPgOutbox<AdsEventToPublish>()
    expectTypeOf(outbox.emit).parameter(2).toEqualTypeOf<AdsEventToPublish>()
    // @ts-expect-error: the payload lacks `to`
    const wrong: Parameters<typeof outbox.emit>[2] = { ...EVENT, payload: { from: 'active' } }
    expect(wrong).toBeDefined()
  })
})
