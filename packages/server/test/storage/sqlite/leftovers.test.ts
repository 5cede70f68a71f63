import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/open.ts'
import { DAY_MS, World } from '../conformance/world.ts'

async function closedStore(fill: (w: World) => Promise<void>): Promise<Database.Database> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'posthorn-left-'))
  const storage = await openSqliteStorage({ dataDir, clock: systemClock })
  await fill(new World(storage))
  await storage.close()
  const db = new Database(path.join(dataDir, 'posthorn.db'))
  onTestFinished(async () => {
    db.close()
    await rm(dataDir, { recursive: true })
  })
  return db
}

test('a deleted workspace whose time is over leaves no row in any table', async () => {
  const db = await closedStore(async (w) => {
    const workspace = await w.workspace()
    await w.key(workspace, await w.member(workspace))
    const webhook = await w.webhook(workspace)
    const nodeId = await w.node()
    const [ok, failed] = await w.leased(nodeId, workspace, 2)
    await w.record(nodeId, [w.success(ok!), w.failure(failed!)])
    const limit = { max: 5, windowMs: 1000 }
    const event = await w.event(workspace)
    await w.storage.sendTest({ event, webhookId: webhook.id, limit, now: w.now })
    await w.storage.deleteWorkspace({ workspaceId: workspace.id, now: w.now })
    await w.storage.retireNode({ nodeId })
    w.now += DAY_MS
    await w.expireAll(w.now)
  })
  const tables = db
    .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .pluck()
    .all()
  const filled = tables.filter((table) => db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined)
  expect(filled.sort()).toEqual(['migrations', 'store'])
})

test('keys and secrets of a deleted workspace are of no use from that moment', async () => {
  const db = await closedStore(async (w) => {
    const workspace = await w.workspace()
    await w.key(workspace)
    await w.webhook(workspace)
    await w.storage.deleteWorkspace({ workspaceId: workspace.id, now: w.now })
  })
  expect(db.prepare('SELECT count(*) FROM keys WHERE revoked_at IS NULL').pluck().get()).toBe(0)
  expect(db.prepare('SELECT count(*) FROM secrets').pluck().get()).toBe(0)
})
