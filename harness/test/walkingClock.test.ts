import { expect, test } from 'vitest'
import { Api } from '../src/support/http.ts'
import { ADMIN_TOKEN, startService } from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { WalkingClock } from '../src/support/walkingClock.ts'
import { createWorkspace } from '../src/support/workspaces.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

test('a service uses the time that its clock was moved to', async () => {
  const dataDir = makeDirectory()
  const weekAgo = Date.now() - 7 * DAY_MS
  const clock = new WalkingClock(dataDir, weekAgo)
  const service = await startService({ dataDir, settings: clock.settings })
  try {
    const api = new Api(() => service.url)
    const madeAt = async (slug: string) => {
      const { id } = await createWorkspace(() => service.url, 'content', slug)
      const path = `/admin/v1/workspaces/${id}`
      const { created_at } = await api.get<{ created_at: string }>(path, { token: ADMIN_TOKEN })
      return new Date(created_at).getTime()
    }
    const first = await madeAt('early')
    await clock.leapTo(weekAgo + 3 * DAY_MS, service)
    const second = await madeAt('late')
    expect(first).toBeGreaterThanOrEqual(weekAgo)
    expect(first).toBeLessThan(weekAgo + MINUTE_MS)
    expect(second).toBeGreaterThanOrEqual(weekAgo + 3 * DAY_MS)
    expect(second).toBeLessThan(weekAgo + 3 * DAY_MS + MINUTE_MS)
  } finally {
    await service.stop()
    removeDirectory(dataDir)
  }
})
