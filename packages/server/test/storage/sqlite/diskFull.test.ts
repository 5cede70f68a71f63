import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/open.ts'
import { StoreUnavailableError } from '../../../src/storage/storage.ts'
import { type FlatStorage, flat } from '../../support/flatStorage.ts'
import { World } from '../conformance/world.ts'

const [MOUNT, UMOUNT] = ['/bin/mount', '/bin/umount']
const BIG_BODY = JSON.stringify({ pad: 'x'.repeat(20_000) })

describe('a full disk', () => {
  let dataDir: string
  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'posthorn-full-'))
  })
  afterEach(() => rm(dataDir, { recursive: true }))

  /** Publishes until the store rejects. @returns the error and how many events were accepted. */
  async function fill(w: World, nodeId: number, workspace: Awaited<ReturnType<World['workspace']>>) {
    for (let accepted = 0; ; accepted++) {
      const event = await w.event(workspace, { body: BIG_BODY }).catch((error: unknown) => error as Error)
      if (event instanceof Error) return { accepted, error: event }
      try {
        await w.publish(nodeId, [event])
      } catch (error) {
        return { accepted, error }
      }
    }
  }

  test('rejects calls as unavailable, keeps its content, and works again once old rows are gone', async () => {
    const storage = flat(await openSqliteStorage({ dataDir, clock: systemClock, maxPages: 240 }))
    const w = new World(storage)
    const workspace = await w.workspace()
    const webhook = await w.webhook(workspace)
    const nodeId = await w.node()
    const { accepted, error } = await fill(w, nodeId, workspace)
    expect(error).toBeInstanceOf(StoreUnavailableError)
    expect(String(error)).toContain('SQLITE_FULL')
    expect(await w.statuses(webhook)).toHaveLength(accepted)
    await storage.retireNode({ nodeId })
    w.now += 1
    await w.untilDone(() => w.expire(w.now, { limit: 5 }))
    const [event] = await w.events(1, workspace, { body: BIG_BODY })
    expect(await w.publish(await w.node(), [event!])).toMatchObject({ outcome: 'accepted' })
    await storage.close()
  })

  test('is detected by a check, since each one writes', async () => {
    const storage = flat(await openSqliteStorage({ dataDir, clock: systemClock }))
    const logBytes = () => statSync(path.join(dataDir, 'posthorn.db-wal')).size
    const before = logBytes()
    await storage.check()
    expect(logBytes()).toBeGreaterThan(before)
    await storage.close()
  })

  const reason = mountRefusal()
  test('a file system without room does the same, and recovers when it has some', async ({ skip }) => {
    skip(reason !== null, reason ?? '')
    execFileSync(MOUNT, ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', dataDir])
    let storage: FlatStorage | null = null
    try {
      const ballast = path.join(dataDir, 'ballast')
      await writeFile(ballast, Buffer.alloc(3_000_000))
      storage = flat(await openSqliteStorage({ dataDir, clock: systemClock }))
      const w = new World(storage)
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const { accepted, error } = await fill(w, nodeId, workspace)
      expect(error).toBeInstanceOf(StoreUnavailableError)
      expect(String(error)).toMatch(/SQLITE_(FULL|IOERR)/)
      expect(await w.statuses(webhook)).toHaveLength(accepted)
      await rm(ballast)
      await storage.check()
      expect(await w.leased(nodeId, workspace)).toHaveLength(1)
      expect(await w.statuses(webhook)).toHaveLength(accepted + 1)
    } finally {
      await storage?.close()
      execFileSync(UMOUNT, [dataDir])
    }
  })
})

/** Why a small file system cannot be mounted here; `null` when it can. */
function mountRefusal(): string | null {
  try {
    const probe = mkdtempSync(path.join(tmpdir(), 'posthorn-mount-'))
    execFileSync(MOUNT, ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', probe], { stdio: 'pipe' })
    execFileSync(UMOUNT, [probe])
    rmdirSync(probe)
    return null
  } catch (error) {
    return String(error instanceof Error ? error.message : error).split('\n')[0]!
  }
}
