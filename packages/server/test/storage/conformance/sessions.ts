import { describe, expect, test } from 'vitest'
import type { Subject } from './subject.ts'
import { HOUR_MS, type World } from './world.ts'

const find = (w: World, hash: string) => w.storage.findSession({ hash: Buffer.from(hash) })

export function sessionSuite({ world }: Subject): void {
  describe('sessions', () => {
    test('a session is found by its hash, together with its member and workspace', async () => {
      const w = world()
      const workspace = await w.workspace()
      const member = await w.member(workspace)
      const session = await w.session(member, 'a')
      expect(session).toEqual({
        id: expect.any(Number),
        publicId: expect.any(String),
        createdAt: w.now,
        expiresAt: w.now + HOUR_MS,
      })
      expect(await find(w, 'a')).toEqual({ session, member, workspace })
      expect(await find(w, 'b')).toBeNull()
    })

    test('a session shows its member and workspace as they are now', async () => {
      const w = world()
      const workspace = await w.workspace()
      const member = await w.member(workspace)
      const { publicId, workspaceId } = member
      await w.session(member, 'a')
      await w.storage.updateMember({ workspaceId, publicId, changes: { role: 'viewer' } })
      await w.storage.suspendWorkspace({ workspaceId, suspended: true, now: w.now })
      expect(await find(w, 'a')).toMatchObject({
        member: { role: 'viewer' },
        workspace: { suspendedAt: w.now },
      })
    })

    test('an expired session is found until maintenance removes it', async () => {
      const w = world()
      const member = await w.member(await w.workspace())
      const session = await w.session(member, 'a')
      w.now = session!.expiresAt
      await w.expireAll(0)
      expect(await find(w, 'a')).toMatchObject({ session })
      w.now += 1
      await w.expireAll(0)
      expect(await find(w, 'a')).toBeNull()
    })

    test('only members of the workspace can sign in', async () => {
      const w = world()
      const [mine, other] = [await w.workspace(), await w.workspace()]
      const member = await w.member(mine)
      expect(await w.session({ ...member, workspaceId: other.id }, 'a')).toBeNull()
      await w.storage.deleteMember({ workspaceId: mine.id, publicId: member.publicId, now: w.now })
      expect(await w.session(member, 'b')).toBeNull()
      const late = await w.member(mine)
      await w.storage.deleteWorkspace({ workspaceId: mine.id, now: w.now })
      expect(await w.session(late, 'c')).toBeNull()
    })

    test('all sessions of one member can be ended, and those of others continue', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [member, other] = [await w.member(workspace), await w.member(workspace)]
      await w.session(member, 'a')
      await w.session(member, 'b')
      await w.session(other, 'c')
      const end = (workspaceId: number) =>
        w.storage.deleteSessions({ workspaceId, memberId: member.id, ofAddress: true, now: w.now })
      expect(await end((await w.workspace()).id)).toBe(0)
      expect(await find(w, 'a')).not.toBeNull()
      expect(await end(workspace.id)).toBe(2)
      expect(await end(workspace.id)).toBe(0)
      expect([await find(w, 'a'), await find(w, 'b')]).toEqual([null, null])
      expect(await find(w, 'c')).toMatchObject({ member: other })
    })

    test('one session can be ended, and others of the member continue', async () => {
      const w = world()
      const member = await w.member(await w.workspace())
      const { id: sessionId } = await w.session(member, 'a')
      await w.session(member, 'b')
      expect(await w.storage.deleteSession({ sessionId })).toBe(true)
      expect(await w.storage.deleteSession({ sessionId })).toBe(false)
      expect([await find(w, 'a'), (await find(w, 'b'))?.member]).toEqual([null, member])
    })

    test('sessions end with their member and with their workspace', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [member, other] = [await w.member(workspace), await w.member(workspace)]
      await w.session(member, 'a')
      await w.session(other, 'b')
      await w.storage.deleteMember({ workspaceId: workspace.id, publicId: member.publicId, now: w.now })
      expect([await find(w, 'a'), (await find(w, 'b'))?.member]).toEqual([null, other])
      await w.storage.deleteWorkspace({ workspaceId: workspace.id, now: w.now })
      expect(await find(w, 'b')).toBeNull()
    })

    test('one hash names one session', async () => {
      const w = world()
      const member = await w.member(await w.workspace())
      const session = await w.session(member, 'a')
      await expect(w.session(member, 'a')).rejects.toThrow()
      expect(await find(w, 'a')).toMatchObject({ session })
    })
  })
}
