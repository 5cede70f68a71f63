import { openSync, readSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/open.ts'
import { World } from '../conformance/world.ts'

let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-test-'))
})

afterEach(() => rm(dataDir, { recursive: true }))

/** As the log's index says. Not closed: that would take away the locks that the store holds on it. */
function logGauge(): () => number {
  const index = openSync(path.join(dataDir, 'posthorn.db-shm'), 'r')
  return () => {
    const field = Buffer.alloc(4)
    readSync(index, field, 0, 4, 16)
    return os.endianness() === 'LE' ? field.readUInt32LE() : field.readUInt32BE()
  }
}

test('a long log is folded into the database while the store goes on, and begins anew', async () => {
  const storage = await openSqliteStorage({ dataDir, clock: systemClock })
  const w = new World(storage)
  const workspace = await w.workspace()
  const webhook = await w.webhook(workspace)
  const nodeId = await w.node()
  const pages = logGauge()
  const body = 'x'.repeat(200_000)
  let longest = 0
  let published = 0
  while (longest < 10_000 || pages() >= longest) {
    longest = Math.max(longest, pages())
    // Far below what the writer's own connection would let it grow to.
    expect(longest).toBeLessThan(35_000)
    expect(await w.publish(nodeId, await w.events(10, workspace, { body }))).toMatchObject({
      outcome: 'accepted',
    })
    published += 10
  }
  await storage.close()
  const again = await openSqliteStorage({ dataDir, clock: systemClock })
  const w2 = new World(again)
  expect(await w2.statuses(webhook)).toHaveLength(published)
  await again.close()
})
