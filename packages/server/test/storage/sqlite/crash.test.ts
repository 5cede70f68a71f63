import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/open.ts'
import { flat } from '../../support/flatStorage.ts'
import { World } from '../conformance/world.ts'
import { createIdempotently } from './programs/createIdempotently.ts'
import { type Program, start } from './programs/start.ts'

const PUBLISH_FOREVER = new URL('./programs/publishForever.ts', import.meta.url)
const CHANGE_FOREVER = new URL('./programs/changeForever.ts', import.meta.url)
const KILLS = 4
/** Concurrent calls of a program. */
const IN_FLIGHT = 20

test('every answered change is still there after the process was killed while working', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'posthorn-crash-'))
  const open = async () => {
    const world = new World(flat(await openSqliteStorage({ dataDir, clock: systemClock })))
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
      expect((await w.claimAll(nodeId)).length).toBeGreaterThanOrEqual(kept)
    }
    await w.storage.close()
  } finally {
    await program?.kill()
    await rm(dataDir, { recursive: true })
  }
}, 120_000)

test('a change with an idempotency key is made once, though the process was killed around its commit', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'posthorn-crash-'))
  let program: Program | null = null
  try {
    let numbers = 0
    for (let kill = 1; kill <= KILLS; kill++) {
      const first = numbers
      program = start(CHANGE_FOREVER, [dataDir, `${first}`])
      await program.said(kill * 150)
      await program.kill()
      const said = new Map(program.lines.map((line) => line.split(' ').map(Number) as [number, number]))
      // Some of the running calls had been committed and some had not.
      numbers = Math.max(...said.keys()) + 1 + IN_FLIGHT

      const storage = flat(await openSqliteStorage({ dataDir, clock: systemClock }))
      for (let number = first; number < numbers; number++) {
        const { result, repeated } = await createIdempotently(storage, number, `again_${number}`)
        expect(result!.publicId).toBe(`${repeated ? 'ws' : 'again'}_${number}`)
        if (said.has(number))
          expect({ repeated, id: result!.id }).toEqual({ repeated: true, id: said.get(number) })
      }
      const page = { limit: 1_000_000, before: null }
      const made = (await storage.listWorkspaces(page)).map(({ publicId }) => publicId)
      expect(made).toHaveLength(numbers)
      const entries = await storage.listAudit({ workspacePublicId: null, targetId: null, ...page })
      expect(entries.map(({ workspacePublicId }) => workspacePublicId)).toEqual(made)
      await storage.close()
      expect(integrityOf(dataDir)).toEqual('ok')
    }
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
