import { describe, expect, test } from 'vitest'
import type { Role } from '../../../src/storage/rows.ts'
import type { Subject } from './subject.ts'

export function keySuite({ world }: Subject): void {
  describe('members', () => {
    test('a member is stored as created and found by either id in their own workspace', async () => {
      const w = world()
      const [mine, other] = [await w.workspace(), await w.workspace()]
      const member = await w.member(mine)
      expect(member).toMatchObject({ workspaceId: mine.id, role: 'owner', createdAt: w.now })
      const { publicId, id: memberId } = member
      expect(await w.storage.getMember({ workspaceId: mine.id, publicId })).toEqual(member)
      expect(await w.storage.getMemberById({ workspaceId: mine.id, memberId })).toEqual(member)
      expect(await w.storage.getMember({ workspaceId: other.id, publicId })).toBeNull()
      expect(await w.storage.getMemberById({ workspaceId: other.id, memberId })).toBeNull()
    })

    test('an address is unique in a workspace, however it is written', async () => {
      const w = world()
      const [one, two] = [await w.workspace(), await w.workspace()]
      const add = (workspaceId: number, email: string) =>
        w.storage.createMember({
          publicId: w.name('usr_'),
          workspaceId,
          email,
          name: '',
          role: 'viewer',
          now: w.now,
        })
      expect(await add(one.id, 'Ada@example.com')).toMatchObject({ email: 'Ada@example.com' })
      expect(await add(one.id, 'ada@example.com')).toBeNull()
      expect(await add(two.id, 'ada@example.com')).not.toBeNull()
    })

    test('members are listed newest first, in pages, and can be removed', async () => {
      const w = world()
      const workspace = await w.workspace()
      const { id: workspaceId } = workspace
      await w.member(await w.workspace())
      const made = [await w.member(workspace), await w.member(workspace), await w.member(workspace)]
      const page = await w.storage.listMembers({ workspaceId, limit: 2, before: null })
      const rest = await w.storage.listMembers({ workspaceId, limit: 2, before: page[1]!.id })
      expect([...page, ...rest]).toEqual(made.reverse())
      const { publicId } = made[0]!
      expect(await w.storage.deleteMember({ workspaceId, publicId, now: w.now })).toBe(true)
      expect(await w.storage.deleteMember({ workspaceId, publicId, now: w.now })).toBe(false)
      expect(await w.storage.getMember({ workspaceId, publicId })).toBeNull()
    })

    test('a change to a member changes only the given members, and returns whether that made a difference', async () => {
      const w = world()
      const workspace = await w.workspace()
      const member = await w.member(workspace)
      const { publicId } = member
      const update = (changes: { name?: string; role?: Role }) =>
        w.storage.updateMember({ workspaceId: workspace.id, publicId, changes })
      const renamed = { ...member, name: 'Ada' }
      expect(await update({ name: 'Ada' })).toEqual({ member: renamed, changed: true })
      expect(await update({ name: 'Ada', role: 'owner' })).toEqual({ member: renamed, changed: false })
      expect(await update({})).toEqual({ member: renamed, changed: false })
      const demoted = { ...renamed, role: 'viewer' }
      expect(await update({ role: 'viewer' })).toEqual({ member: demoted, changed: true })
      expect(await w.storage.getMember({ workspaceId: workspace.id, publicId })).toEqual(demoted)
    })

    test('a member is changed only in their own existing workspace', async () => {
      const w = world()
      const [mine, other] = [await w.workspace(), await w.workspace()]
      const { publicId } = await w.member(mine)
      const update = (workspaceId: number) =>
        w.storage.updateMember({ workspaceId, publicId, changes: { name: 'Ada' } })
      expect(await update(other.id)).toBeNull()
      await w.storage.deleteWorkspace({ workspaceId: mine.id, now: w.now })
      expect(await update(mine.id)).toBeNull()
    })

    test('a deleted workspace gets neither members nor keys', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.storage.deleteWorkspace({ workspaceId: workspace.id, now: w.now })
      expect(await w.member(workspace)).toBeNull()
      expect(await w.key(workspace)).toBeNull()
    })
  })

  describe('keys', () => {
    test('a key is stored as created and found by its hash, together with its workspace', async () => {
      const w = world()
      const workspace = await w.workspace()
      const member = await w.member(workspace)
      const key = await w.storage.createKey({
        publicId: 'key_1',
        workspaceId: workspace.id,
        memberId: member.id,
        name: 'CI',
        scopes: ['webhooks', 'events:write'],
        hash: Uint8Array.of(1, 2, 3),
        expiresAt: w.now + 1000,
        now: w.now,
      })
      expect(key).toEqual({
        id: expect.any(Number),
        publicId: 'key_1',
        workspaceId: workspace.id,
        memberId: member.id,
        memberPublicId: member.publicId,
        memberRole: 'owner',
        name: 'CI',
        scopes: ['webhooks', 'events:write'],
        createdAt: w.now,
        expiresAt: w.now + 1000,
        revokedAt: null,
        lastUsedAt: null,
      })
      expect(await w.storage.findKey({ hash: Uint8Array.of(1, 2, 3) })).toEqual({ key, workspace })
      expect(await w.storage.findKey({ hash: Uint8Array.of(1, 2, 4) })).toBeNull()
    })

    test('a key is created only for a member of its own workspace', async () => {
      const w = world()
      const [mine, other] = [await w.workspace(), await w.workspace()]
      expect(await w.key(mine, await w.member(other))).toBeNull()
      const left = await w.member(mine)
      await w.storage.deleteMember({ workspaceId: mine.id, publicId: left.publicId, now: w.now })
      expect(await w.key(mine, left)).toBeNull()
    })

    test('a key shows the current role of the member who created it', async () => {
      const w = world()
      const workspace = await w.workspace()
      const member = await w.member(workspace)
      const { publicId } = await w.key(workspace, member)
      const roles = async () => [
        (await w.storage.getKey({ workspaceId: workspace.id, publicId }))?.memberRole,
        (await w.storage.findKey({ hash: Buffer.from(publicId) }))?.key.memberRole,
        (await w.storage.listKeys({ workspaceId: workspace.id, limit: 1, before: null }))[0]?.memberRole,
      ]
      expect(await roles()).toEqual(['owner', 'owner', 'owner'])
      const changes = { role: 'viewer' as const }
      await w.storage.updateMember({ workspaceId: workspace.id, publicId: member.publicId, changes })
      expect(await roles()).toEqual(['viewer', 'viewer', 'viewer'])
    })

    test('a key outlives the member who created it', async () => {
      const w = world()
      const workspace = await w.workspace()
      const member = await w.member(workspace)
      const { publicId } = await w.key(workspace, member)
      await w.storage.deleteMember({ workspaceId: workspace.id, publicId: member.publicId, now: w.now })
      const key = await w.storage.getKey({ workspaceId: workspace.id, publicId })
      expect(key).toMatchObject({ memberId: null, memberPublicId: null, memberRole: null })
    })

    test('a revoked key keeps its first time, and can be revoked only in its own workspace', async () => {
      const w = world()
      const [mine, other] = [await w.workspace(), await w.workspace()]
      const { publicId } = await w.key(mine)
      const revoke = (workspaceId: number) => w.storage.revokeKey({ workspaceId, publicId, now: w.now })
      expect(await revoke(other.id)).toBe(false)
      const revokedAt = w.now
      expect(await revoke(mine.id)).toBe(true)
      w.now += 1000
      expect(await revoke(mine.id)).toBe(false)
      const found = await w.storage.findKey({ hash: Buffer.from(publicId) })
      expect(found?.key.revokedAt).toBe(revokedAt)
    })

    test('keys are listed newest first, in pages, revoked ones among them', async () => {
      const w = world()
      const workspace = await w.workspace()
      const { id: workspaceId } = workspace
      await w.key(await w.workspace())
      const made = [await w.key(workspace), await w.key(workspace), await w.key(workspace)]
      await w.storage.revokeKey({ workspaceId, publicId: made[0]!.publicId, now: w.now })
      const page = await w.storage.listKeys({ workspaceId, limit: 2, before: null })
      const rest = await w.storage.listKeys({ workspaceId, limit: 2, before: page[1]!.id })
      const ids = [...page, ...rest].map((key) => key.publicId)
      expect(ids).toEqual(made.map((key) => key.publicId).reverse())
      expect(rest[0]!.revokedAt).toBe(w.now)
    })

    test('the last use of a key only moves forward', async () => {
      const w = world()
      const workspace = await w.workspace()
      const { id: keyId, publicId } = await w.key(workspace)
      const lastUse = async () =>
        (await w.storage.getKey({ workspaceId: workspace.id, publicId }))!.lastUsedAt
      await w.storage.touchKeys({ uses: [{ keyId, at: 2000 }] })
      await w.storage.touchKeys({ uses: [{ keyId, at: 1000 }] })
      expect(await lastUse()).toBe(2000)
      await w.storage.touchKeys({
        uses: [
          { keyId, at: 3000 },
          { keyId: 12_345, at: 1 },
        ],
      })
      expect(await lastUse()).toBe(3000)
    })
  })
}
