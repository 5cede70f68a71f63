import { createHash } from 'node:crypto'
import { cpSync, rmSync } from 'node:fs'
import path from 'node:path'
import { Writable } from 'node:stream'
import Database from 'better-sqlite3'
import type pg from 'pg'
import { onTestFinished } from 'vitest'
import type { Mover } from '../../../src/cli/move/obstacles.ts'
import { Progress } from '../../../src/cli/move/progress.ts'
import { runMove } from '../../../src/cli/move/run.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { openMoveSource } from '../../../src/storage/move/source.ts'
import { MoveTarget } from '../../../src/storage/move/target.ts'
import { TargetConnection } from '../../../src/storage/move/targetConnection.ts'
import { openPostgresStorage, type PostgresStorage } from '../../../src/storage/postgres/open.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/open.ts'
import { type FlatStorage, flat } from '../../support/flatStorage.ts'
import { makeStoreDirectory } from '../../support/storeDirectory.ts'
import { newTestSchema, type TestSchema } from '../../support/testSchema.ts'

export const PLACE = '127.0.0.1:5432/somewhere'
const KEY_CHECK: Uint8Array = createHash('sha256').update('the key of the tests').digest()

export interface RunOptions {
  readonly startOver?: boolean
  /** Ends the run with an error at this progress message, such as "copied events". */
  readonly stopAt?: string
  /** Target, if not its own schema. */
  readonly into?: TestSchema
}

/**
 * An embedded store in its own directory, and a schema that it can be moved into; both are removed with the
 * test.
 */
export class Moving {
  readonly dataDir: string
  readonly schema: TestSchema
  /** Progress messages of the last run. */
  said: readonly string[] = []

  private constructor(dataDir: string, schema: TestSchema) {
    this.dataDir = dataDir
    this.schema = schema
  }

  /** @param fill creates the history of the store */
  static async prepare(fill: (storage: FlatStorage) => Promise<void>): Promise<Moving> {
    const dataDir = makeStoreDirectory()
    const schema = await newTestSchema()
    onTestFinished(async () => {
      rmSync(dataDir, { recursive: true })
      await schema.drop()
    })
    const moving = new Moving(dataDir, schema)
    await moving.serve(fill)
    return moving
  }

  /** Opens the embedded store while `work` runs. */
  async serve<Result>(work: (storage: FlatStorage) => Promise<Result>): Promise<Result> {
    const storage = flat(await openSqliteStorage({ dataDir: this.dataDir, clock: systemClock }))
    try {
      return await work(storage)
    } finally {
      await storage.close()
    }
  }

  /** An opened copy of the store as it is now, for comparisons after the move. */
  async copyOpen(): Promise<FlatStorage> {
    const dataDir = makeStoreDirectory()
    cpSync(this.dataDir, dataDir, { recursive: true })
    const storage = flat(await openSqliteStorage({ dataDir, clock: systemClock }))
    onTestFinished(async () => {
      await storage.close()
      rmSync(dataDir, { recursive: true })
    })
    return storage
  }

  /** @returns number of moved rows; `null` when all was already done */
  async run({ startOver = false, stopAt, into = this.schema }: RunOptions = {}): Promise<number | null> {
    const opened = openMoveSource(this.dataDir, systemClock.now())
    try {
      const { dataDir } = this
      const mover: Mover = { dataDir, source: opened.source, keyCheck: KEY_CHECK, place: PLACE }
      const { url, name } = into
      const target = new MoveTarget(await TargetConnection.open(url, name, systemClock))
      try {
        const said: string[] = []
        this.said = said
        const progress = new Progress(saying(said, stopAt), () => 0)
        return await runMove({ mover, target, startOver, progress, clock: systemClock })
      } finally {
        await target.close()
      }
    } finally {
      opened.close()
    }
  }

  /** Opens the store in its new place. */
  async openMoved(): Promise<PostgresStorage & FlatStorage> {
    const { url, name } = this.schema
    const storage = flat(await openPostgresStorage({ url, schema: name, clock: systemClock }))
    onTestFinished(() => storage.close())
    return storage
  }

  /** Changes the embedded store's file directly. */
  sqlite<Result>(work: (db: Database.Database) => Result): Result {
    const db = new Database(path.join(this.dataDir, 'posthorn.db'))
    try {
      return work(db)
    } finally {
      db.close()
    }
  }

  /** The same for the database. */
  async postgres(statement: string): Promise<pg.QueryResult> {
    const client = await this.schema.connect()
    try {
      return await client.query(statement)
    } finally {
      await client.end()
    }
  }
}

function saying(said: string[], stopAt: string | undefined): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      said.push(text.trimEnd())
      if (stopAt !== undefined && text.startsWith(stopAt)) throw new Error(`stopped at ${stopAt}`)
      done()
    },
  })
}
