import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/open.ts'
import { World } from '../conformance/world.ts'
import { type Program, start } from './programs/start.ts'

const PUBLISH_FOREVER = new URL('./programs/publishForever.ts', import.meta.url)
const KILLS = 4

test('whatever was answered is still there after the process was killed in the middle of its work', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'posthorn-crash-'))
  const open = async () => {
    const world = new World(await openSqliteStorage({ dataDir, clock: systemClock }))
    world.now = systemClock.now()
    return world
  }
  let program: Program | null = null
  try {
    let w = await open()
    const workspace = await w.workspace()
    const webhook = await w.webhook(workspace)
    let acknowledged = 0
    for (let kill = 1; kill <= KILLS; kill++) {
      await w.storage.close()
      program = start(PUBLISH_FOREVER, [dataDir, `${workspace.id}`, `${kill * 1_000_000}`])
      // Different moments of the log's life: soon after the start, and after some thousands of commits.
      await program.said(kill * 700)
      await program.kill()
      acknowledged += program.lines.length
      expect(integrityOf(dataDir)).toEqual('ok')

      w = await open()
      const nodeId = await w.node()
      const batch = await w.events(program.lines.length, workspace, { fingerprint: Uint8Array.of(1) })
      const again = batch.map((event, i) => ({ ...event, broughtId: `evt_${program!.lines[i]}` }))
      const { repeats } = await w.publish(nodeId, again)
      expect(repeats.filter((repeat) => repeat === null)).toEqual([])
      // Each with its delivery, and free for the next process to send.
      await w.untilDone(() => w.storage.rescueDeliveries({ byNodeId: nodeId }))
      const kept = (await w.statuses(webhook)).length
      expect(kept).toBeGreaterThanOrEqual(Math.min(acknowledged, 10_000))
      const { deliveries } = await w.claim(nodeId, { perWebhook: 1000 })
      expect(deliveries).toHaveLength(Math.min(kept, 1000))
    }
    await w.storage.close()
  } finally {
    await program?.kill()
    await rm(dataDir, { recursive: true })
  }
}, 120_000)

function integrityOf(dataDir: string): unknown {
  const db = new Database(path.join(dataDir, 'posthorn.db'))
  try {
    return db.pragma('integrity_check', { simple: true })
  } finally {
    db.close()
  }
}
