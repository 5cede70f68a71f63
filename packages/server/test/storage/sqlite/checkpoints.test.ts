import { openSync, readSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { Channel } from '../../../src/storage/sqlite/channel.ts'
import { Checkpoints } from '../../../src/storage/sqlite/checkpoints.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/open.ts'
import { flat } from '../../support/flatStorage.ts'
import { ManualClock } from '../../support/manualClock.ts'
import { World } from '../conformance/world.ts'

let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'posthorn-test-'))
})

afterEach(() => rm(dataDir, { recursive: true }))

/** From the log's index. Not closed, since that would release the store's locks on it. */
function logGauge(): () => number {
  const index = openSync(path.join(dataDir, 'posthorn.db-shm'), 'r')
  return () => {
    const field = Buffer.alloc(4)
    readSync(index, field, 0, 4, 16)
    return os.endianness() === 'LE' ? field.readUInt32LE() : field.readUInt32BE()
  }
}

test('a long log is merged into the database while the store is in use, and starts again', async () => {
  const storage = flat(await openSqliteStorage({ dataDir, clock: systemClock }))
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
    // Far below the size that the writer's own connection would allow.
    expect(longest).toBeLessThan(35_000)
    expect(await w.publish(nodeId, await w.events(10, workspace, { body }))).toMatchObject({
      outcome: 'accepted',
    })
    published += 10
  }
  await storage.close()
  const again = flat(await openSqliteStorage({ dataDir, clock: systemClock }))
  const w2 = new World(again)
  expect(await w2.statuses(webhook)).toHaveLength(published)
  await again.close()
})

/** An index that says that the log is this long. */
async function writeIndex(pages: number): Promise<void> {
  await writeFile(
    path.join(dataDir, 'posthorn.db-shm'),
    new Uint8Array(new Uint32Array([0, 0, 0, 0, pages]).buffer),
  )
}

const REFUSING = `
  import { parentPort } from 'node:worker_threads'
  parentPort.postMessage({ kind: 'refused', message: 'too many open files' })
  parentPort.close()`

const WITHOUT_THREAD: Record<string, () => Channel> = {
  'cannot be started': () => {
    throw new Error('out of threads')
  },
  'cannot open the database': () => {
    const settings = { role: 'checkpointer', dataDir, now: 0, maxPages: null, create: true } as const
    return new Channel(settings, new URL(`data:text/javascript,${encodeURIComponent(REFUSING)}`))
  },
}

test.each(Object.entries(WITHOUT_THREAD))(
  'while a thread %s, the writer merges the log, and another is started only later',
  async (_, openThread) => {
    await writeIndex(10_000)
    const clock = new ManualClock()
    let folded = 0
    const startedAt: number[] = []
    const checkpoints = new Checkpoints({
      dataDir,
      clock,
      writer: { checkpoint: async () => void folded++ },
      openThread() {
        startedAt.push(clock.monotonic())
        return openThread()
      },
    })
    checkpoints.start()
    let checks = 0
    for (; startedAt.length < 3; checks++) {
      clock.advance(clock.nextIn!)
      while (clock.nextIn === null) await setImmediate()
    }
    expect(folded).toBe(checks)
    expect(startedAt[1]! - startedAt[0]!).toBeGreaterThanOrEqual(10_000)
    expect(startedAt[2]! - startedAt[1]!).toBeGreaterThanOrEqual(10_000)
    await checkpoints.stop()
    checkpoints.letGo()
  },
)
