import { expect, test } from 'vitest'
import type { MasterKeys } from '../../../src/cli/masterKeys.ts'
import { type Mover, sourceObstacles, targetObstacles } from '../../../src/cli/move/obstacles.ts'
import { createSecretBox } from '../../../src/engine/secretBox.ts'
import { MoveSource } from '../../../src/storage/move/source.ts'
import type { TargetFacts } from '../../../src/storage/move/targetFacts.ts'
import { markMoved } from '../../../src/storage/sqlite/storeFacts.ts'
import { openDatabase } from '../../storage/sqlite/database.ts'

const KEYS: MasterKeys = [new Uint8Array(32)]
const EMPTY: TargetFacts = {
  serverVersion: 140_000,
  encoding: 'UTF8',
  mayCreate: true,
  filled: [],
  nodes: 0,
  keyCheck: null,
  move: null,
}

const moverOf = (db = openDatabase()): Mover => ({
  dataDir: '/data',
  source: new MoveSource(db),
  keyCheck: Uint8Array.of(1),
  place: 'db:5432/posthorn',
})

test('a store with an older schema must be migrated first', () => {
  const db = openDatabase()
  db.exec('DELETE FROM migrations WHERE version = (SELECT max(version) FROM migrations)')
  expect(sourceObstacles(moverOf(db), KEYS)).toEqual([
    'the store in /data was last used by an older posthorn: run posthorn migrate first',
  ])
})

test('the key is tried on the newest secret', () => {
  const db = openDatabase()
  const mover = moverOf(db)
  expect(sourceObstacles(mover, KEYS)).toEqual([])
  db.exec(`
    INSERT INTO workspaces (id, public_id, dialect, slug, name, created_at) VALUES (1, 'ws', 'content', 's', '', 0);
    INSERT INTO webhooks (id, public_id, workspace_id, url, event_types, description, status, created_by_type,
      created_by_public_id, created_at, updated_at, version) VALUES (1, 'wh', 1, '', '[]', '', 'on', 'key', 'k', 0, 0, 1)`)
  const sealed = createSecretBox(KEYS).seal('secret', 'wh')
  db.prepare('INSERT INTO secrets (webhook_id, sealed, created_at) VALUES (1, ?, 0)').run(sealed)
  expect(sourceObstacles(mover, KEYS)).toEqual([])
  expect(sourceObstacles(mover, [new Uint8Array(32).fill(1)])).toEqual([
    expect.stringMatching(/^POSTHORN_MASTER_KEY: /),
  ])
})

test.each<[facts: Partial<TargetFacts>, message: RegExp]>([
  [{ serverVersion: 130_012 }, /^the move needs PostgreSQL 14 or later; db:5432\/posthorn has 13$/],
  [{ encoding: 'SQL_ASCII' }, /has the encoding SQL_ASCII/],
  [{ mayCreate: false }, /has no permission to create tables in db:5432\/posthorn$/],
  [{ nodes: 2 }, /is in use, or was a moment ago \(nodes: 2\)/],
  [{ keyCheck: Uint8Array.of(2) }, /was used with another key/],
  [{ filled: ['events'] }, /already has a store \(rows in events\)/],
  [
    { move: { storeKey: new Uint8Array(16), state: Uint8Array.of(1), finished: false } },
    /^the move of another store into db:5432\/posthorn is not finished/,
  ],
])('a database with %j cannot take a store', (facts, message) => {
  expect(targetObstacles(moverOf(), EMPTY)).toEqual([])
  expect(targetObstacles(moverOf(), { ...EMPTY, ...facts })).toEqual([expect.stringMatching(message)])
})

test('the copies of an earlier run of the same store are no obstacle, whatever happened to the store since', () => {
  const mover = moverOf()
  const move = { storeKey: mover.source.idKey, state: Uint8Array.of(1), finished: false }
  const filled = ['workspaces', 'events']
  expect(targetObstacles(mover, { ...EMPTY, filled, keyCheck: mover.keyCheck, move })).toEqual([])
  expect(targetObstacles(mover, { ...EMPTY, filled, move: { ...move, finished: true } })).toHaveLength(1)
})

test('a moved store cannot be moved elsewhere, and is only finished at its target', () => {
  const db = openDatabase()
  const mover = moverOf(db)
  const { idKey: storeKey, state } = mover.source
  markMoved(db, { place: 'other:5432/posthorn', at: 0 })
  expect(targetObstacles(mover, EMPTY)).toEqual([
    expect.stringMatching(/^the store in \/data was moved to other:5432\/posthorn on 1970-01-01: /),
  ])
  expect(targetObstacles(mover, { ...EMPTY, move: { storeKey, state, finished: false } })).toEqual([])
})
