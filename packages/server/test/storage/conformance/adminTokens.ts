import { describe, expect, test } from 'vitest'
import { KEPT_ENDED_TOKENS, MAX_ADMIN_TOKENS } from '../../../src/storage/interface/adminTokens.ts'
import type { Subject } from './subject.ts'

export function adminTokenSuite({ world }: Subject): void {
  describe('admin tokens', () => {
    test('one is stored as created, and found by its hash and by its id', async () => {
      const w = world()
      const [token] = [await w.adminToken(w.now + 1000), await w.adminToken()]
      expect(token).toEqual({
        id: expect.any(Number),
        publicId: token.publicId,
        name: `for ${token.publicId}`,
        createdAt: w.now,
        expiresAt: w.now + 1000,
        revokedAt: null,
        lastUsedAt: null,
      })
      expect(await w.storage.findAdminToken({ hash: Buffer.from(token.publicId) })).toEqual(token)
      expect(await w.storage.getAdminToken({ publicId: token.publicId })).toEqual(token)
      expect(await w.storage.findAdminToken({ hash: Buffer.from('another') })).toBeNull()
      expect(await w.storage.getAdminToken({ publicId: 'another' })).toBeNull()
    })

    test('a revoked one keeps its first time, and is still found', async () => {
      const w = world()
      const { publicId } = await w.adminToken()
      const revoke = (id: string) => w.storage.revokeAdminToken({ publicId: id, now: w.now })
      expect(await revoke('another')).toBe(false)
      const revokedAt = w.now
      expect(await revoke(publicId)).toBe(true)
      w.now += 1000
      expect(await revoke(publicId)).toBe(false)
      expect(await w.storage.findAdminToken({ hash: Buffer.from(publicId) })).toMatchObject({ revokedAt })
    })

    test('they are listed newest first, in pages, and have names in the audit log', async () => {
      const w = world()
      const made = [await w.adminToken(), await w.adminToken(), await w.adminToken()]
      const page = await w.storage.listAdminTokens({ limit: 2, before: null })
      const rest = await w.storage.listAdminTokens({ limit: 2, before: page[1]!.id })
      expect([...page, ...rest]).toEqual([...made].reverse())
      const { publicId, name } = made[1]!
      expect(await w.storage.namesOf({ publicIds: [publicId] })).toEqual([{ publicId, name, webhook: null }])
    })

    test('the last use only moves forward', async () => {
      const w = world()
      const { id: tokenId, publicId } = await w.adminToken()
      const touch = (at: number, id = tokenId) => w.storage.touchAdminTokens({ uses: [{ tokenId: id, at }] })
      await touch(2000)
      await touch(1000)
      await touch(3000, 12_345)
      expect(await w.storage.getAdminToken({ publicId })).toMatchObject({ lastUsedAt: 2000 })
    })

    test('only a few may be valid at a time; ended ones make room, and the oldest of them are deleted', async () => {
      const w = world()
      const made = [await w.adminToken(), await w.adminToken(w.now + 1000)]
      while (made.length < MAX_ADMIN_TOKENS) made.push(await w.adminToken())
      expect(await w.adminToken()).toBeNull()
      w.now += 1000
      expect(await w.adminToken()).not.toBeNull()
      expect(await w.adminToken()).toBeNull()
      await w.storage.revokeAdminToken({ publicId: made[0]!.publicId, now: w.now })
      // Those already expired at creation are as many as are kept, including the two from before.
      for (let ended = 2; ended < KEPT_ENDED_TOKENS; ended++) expect(await w.adminToken(w.now)).not.toBeNull()
      const isThere = async (token = made[0]!) =>
        (await w.storage.getAdminToken({ publicId: token.publicId })) !== null
      expect([await isThere(), await isThere(made[1])]).toEqual([true, true])
      await w.adminToken(w.now)
      expect(await w.adminToken()).not.toBeNull()
      expect([await isThere(), await isThere(made[1]), await isThere(made[2])]).toEqual([false, true, true])
    })
  })
}
