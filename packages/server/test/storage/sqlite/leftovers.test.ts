import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/open.ts'
import { flat } from '../../support/flatStorage.ts'
import { DAY_MS, STRICT, World } from '../conformance/world.ts'
import { filledTables } from './database.ts'

async function closedStore(fill: (w: World) => Promise<void>): Promise<Database.Database> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'posthorn-left-'))
  const storage = flat(await openSqliteStorage({ dataDir, clock: systemClock }))
  await fill(new World(storage))
  await storage.close()
  const db = new Database(path.join(dataDir, 'posthorn.db'))
  onTestFinished(async () => {
    db.close()
    await rm(dataDir, { recursive: true })
  })
  return db
}

/** Leaves an entry in the audit log and an answer under an idempotency key. */
async function changeIdempotently(w: World): Promise<void> {
  const { id: workspaceId, publicId } = await w.workspace()
  await w.storage.change({
    call: 'deleteWorkspace',
    params: { workspaceId, now: w.now },
    audit: {
      action: 'workspace.deleted',
      actor: { type: 'operator', id: null, sessionId: null },
      workspacePublicId: publicId,
      target: { type: 'workspace', id: publicId },
      details: {},
      requestId: 'req_1',
    },
    idempotency: {
      scope: 's',
      key: 'k',
      fingerprint: Uint8Array.of(1),
      responseData: null,
      responseDataUntil: null,
      since: 0,
    },
    now: w.now,
  })
}

test('a deleted workspace leaves no row in any table after its retention', async () => {
  const db = await closedStore(async (w) => {
    const workspace = await w.workspace()
    const member = await w.member(workspace)
    await w.key(workspace, member)
    await w.session(member)
    const webhook = await w.webhook(workspace)
    await w.webhook(workspace, { maxInFlight: 1 })
    await w.update(webhook, { url: 'https://elsewhere.example.com/' })
    await w.rotate(webhook)
    const nodeId = await w.node()
    const [ok, failed, gone] = await w.leased(nodeId, workspace, 3)
    // As the owner of the one with a limit.
    await w.claim(nodeId)
    await w.record(nodeId, [w.success(ok!), w.failure(failed!)])
    await w.replay(workspace)
    await changeIdempotently(w)
    const limit = { max: 5, windowMs: 1000 }
    const event = await w.event(workspace)
    await w.storage.sendTest({ event, webhookId: webhook.id, limit, now: w.now })
    await w.record(nodeId, [w.gone(gone!)], STRICT)
    await w.storage.deleteWorkspace({ workspaceId: workspace.id, now: w.now })
    await w.storage.retireNode({ nodeId })
    await w.storage.rollUpStats({ now: w.now })
    // Stats have their own retention.
    w.now += 33 * DAY_MS
    await w.expireAll(w.now)
  })
  expect(filledTables(db)).toEqual(['clock', 'migrations', 'store'])
})

test('replaced rows are deleted once they are old, and current ones stay', async () => {
  const db = await closedStore(async (w) => {
    const workspace = await w.workspace()
    const webhook = await w.webhook(workspace)
    await w.rotate(webhook)
    w.now += DAY_MS
    await w.rotate(webhook, { secret: 3, overlapMs: DAY_MS })
    w.now += 1
    await w.expireAll(w.now)
  })
  const secrets = db.prepare('SELECT sealed, from_version, until_version FROM secrets ORDER BY id')
  expect(secrets.raw().all()).toEqual([
    [Buffer.of(2), 2, 3],
    [Buffer.of(3), 3, null],
  ])
  expect(filledTables(db)).toEqual([
    'clock',
    'migrations',
    'secrets',
    'store',
    'webhook_urls',
    'webhooks',
    'workspaces',
  ])
})

test('each former URL of a webhook is stored with its first version', async () => {
  const db = await closedStore(async (w) => {
    const webhook = await w.webhook(await w.workspace(), { url: 'https://a.example.com/' })
    await w.update(webhook, { description: 'the second version' })
    await w.update(webhook, { url: 'https://b.example.com/' })
    await w.rotate(webhook)
    await w.update(webhook, { url: 'https://b.example.com/', description: 'the fifth' })
    await w.update(webhook, { url: 'https://a.example.com/', status: 'off' })
  })
  const urls = db.prepare('SELECT from_version, url FROM webhook_urls ORDER BY from_version')
  expect(urls.raw().all()).toEqual([
    [1, 'https://a.example.com/'],
    [3, 'https://b.example.com/'],
    [6, 'https://a.example.com/'],
  ])
})

test('keys, sessions and secrets of a deleted workspace are invalid at once', async () => {
  const db = await closedStore(async (w) => {
    const workspace = await w.workspace()
    await w.key(workspace)
    await w.session(await w.member(workspace))
    await w.rotate(await w.webhook(workspace), { overlapMs: DAY_MS })
    await w.storage.deleteWorkspace({ workspaceId: workspace.id, now: w.now })
  })
  expect(db.prepare('SELECT count(*) FROM keys WHERE revoked_at IS NULL').pluck().get()).toBe(0)
  expect(filledTables(db)).not.toContain('secrets')
  expect(filledTables(db)).not.toContain('sessions')
})

test('a deleted webhook leaves no secret, not even a replaced one', async () => {
  const db = await closedStore(async (w) => {
    const webhook = await w.webhook(await w.workspace())
    await w.rotate(webhook, { overlapMs: DAY_MS })
    await w.remove(webhook)
  })
  expect(filledTables(db)).not.toContain('secrets')
})
