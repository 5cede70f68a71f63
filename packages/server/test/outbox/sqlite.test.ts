import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { SqliteOutbox } from '../../src/outbox/sqlite/outbox.ts'
import { outboxConformance } from './conformance.ts'
import { sqliteSubject } from './subjects.ts'

outboxConformance('SQLite', sqliteSubject)

it('says what to do if there is no outbox', async () => {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'posthorn-outbox-'))
  const file = path.join(directory, 'empty.db')
  const outbox = new SqliteOutbox({ file, clock: systemClock })
  await expect(outbox.open('relay')).rejects.toThrow(`${file} does not exist`)
  new Database(file).exec('CREATE TABLE other (id)').close()
  await expect(outbox.open('relay')).rejects.toThrow(
    'run the output of `posthorn outbox sql --for sqlite` there',
  )
  rmSync(directory, { recursive: true })
})
