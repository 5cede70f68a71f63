import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { getPriority, platform, tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/core/clock.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/open.ts'

/** The niceness of each thread of this process. */
const niceness = () =>
  new Map(
    readdirSync('/proc/self/task').map((id) => {
      const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8')
      return [id, Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])]
    }),
  )

test.skipIf(platform() !== 'linux')(
  'only the thread that reads for the search index has a lower priority (needs Linux)',
  async () => {
    const before = niceness()
    const dataDir = mkdtempSync(path.join(tmpdir(), 'posthorn-test-'))
    const storage = await openSqliteStorage({ dataDir, clock: systemClock })
    try {
      const { maintenance } = storage
      const read = { workspaceIds: [], searchable: {}, limit: 1 }
      await Promise.all([
        maintenance.readUnindexed(read),
        maintenance.findUnindexed({ afterWorkspaceId: 0, limit: 1 }),
      ])
      const added = [...niceness()].filter(([id]) => !before.has(id)).map(([, nice]) => nice)
      expect(added.filter((nice) => nice === 10)).toHaveLength(1)
      expect(added.filter((nice) => nice === 0).length).toBeGreaterThan(1)
      expect(getPriority()).toBe(before.get(String(process.pid)))
    } finally {
      await storage.close()
      rmSync(dataDir, { recursive: true })
    }
  },
)
