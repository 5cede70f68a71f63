import { describe, expect, test } from 'vitest'
import type { Subject } from './subject.ts'

const DOCUMENT = '{"profile":1,"name":"billing","title":"Billing"}'

export function profileSuite({ world }: Subject): void {
  describe('profiles', () => {
    const put = (version: number | null, document = DOCUMENT, name = 'billing', keepSince = 0) => {
      const w = world()
      return w.storage.putProfile({ name, version, document, keepSince, now: w.now })
    }

    test('a profile is stored as written', async () => {
      const w = world()
      const stored = { name: 'billing', version: 1, createdAt: w.now, updatedAt: w.now }
      expect(await put(null)).toEqual({ outcome: 'put', profile: stored })
      expect(await w.storage.listProfiles({})).toEqual([stored])
      expect(await w.storage.getProfileDocument({ name: 'billing', version: 1 })).toBe(DOCUMENT)
    })

    test('it is replaced only with its current version, and earlier versions are kept', async () => {
      const w = world()
      await put(null)
      expect(await put(null)).toEqual({ outcome: 'other_version', version: 1 })
      expect(await put(2)).toEqual({ outcome: 'other_version', version: 1 })
      w.now += 1000
      expect(await put(1, '{"a":1}')).toMatchObject({ outcome: 'put', profile: { version: 2 } })
      expect(await w.storage.getProfileDocument({ name: 'billing', version: 1 })).toBe(DOCUMENT)
      expect(await w.storage.listProfileVersions({ name: 'billing' })).toEqual([
        { version: 2, madeAt: w.now },
        { version: 1, madeAt: w.now - 1000 },
      ])
      expect(await put(7, DOCUMENT, 'unknown')).toEqual({ outcome: 'other_version', version: null })
    })

    test('versions replaced long ago are deleted, but not the one that was valid then', async () => {
      const w = world()
      await put(null)
      for (let version = 1; version < 4; version++) {
        w.now += 1000
        await put(version)
      }
      w.now += 1000
      await put(4, DOCUMENT, 'billing', w.now - 1500)
      const kept = await w.storage.listProfileVersions({ name: 'billing' })
      expect(kept.map(({ version }) => version)).toEqual([5, 4, 3])
    })

    test('each change of any profile shows in the state', async () => {
      const w = world()
      const states = [await w.storage.readProfilesState({})]
      const note = async () => states.push(await w.storage.readProfilesState({}))
      await put(null)
      await note()
      await put(1)
      await note()
      await put(null, DOCUMENT, 'other')
      await note()
      await w.storage.removeProfile({ name: 'billing', now: w.now })
      await note()
      expect(states).toEqual([...new Set(states)].sort((a, b) => a - b))
    })

    test('a profile used by a workspace is not removed', async () => {
      const w = world()
      await put(null)
      const { id: workspaceId } = await w.workspace({ slug: 'acme', dialect: 'billing', isStored: true })
      const remove = () => w.storage.removeProfile({ name: 'billing', now: w.now })
      expect(await remove()).toEqual({ outcome: 'in_use', workspaces: ['acme'] })
      await w.storage.deleteWorkspace({ workspaceId, now: w.now })
      expect(await remove()).toEqual({ outcome: 'removed' })
      expect(await remove()).toEqual({ outcome: 'not_found' })
      expect(await w.storage.listProfiles({})).toEqual([])
    })

    test('a workspace of a removed profile is not created', async () => {
      const w = world()
      expect(await w.workspace({ dialect: 'billing', isStored: true })).toBeNull()
      await put(null)
      await w.storage.removeProfile({ name: 'billing', now: w.now })
      expect(await w.workspace({ dialect: 'billing', isStored: true })).toBeNull()
    })

    test('a workspace and the concurrent removal of its profile exclude each other', async () => {
      const w = world()
      for (let round = 0; round < 20; round++) {
        const name = `service-${round}`
        await put(null, DOCUMENT, name)
        const [workspace, removed] = await Promise.all([
          w.workspace({ dialect: name, isStored: true }),
          w.storage.removeProfile({ name, now: w.now }),
        ])
        expect(removed.outcome === 'removed').toBe(workspace === null)
      }
    })

    test('a removed name may be used again, and its versions continue', async () => {
      const w = world()
      await put(null)
      await w.storage.removeProfile({ name: 'billing', now: w.now })
      w.now += 1000
      const again = await put(null)
      expect(again).toMatchObject({ outcome: 'put', profile: { version: 3, createdAt: w.now } })
    })
  })
}
