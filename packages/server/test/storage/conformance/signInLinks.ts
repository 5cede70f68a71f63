import { describe, expect, test } from 'vitest'
import type { Subject } from './subject.ts'
import { HOUR_MS, MINUTE_MS, type World } from './world.ts'

const LIMIT = { max: 3, windowMs: 15 * MINUTE_MS }

const find = (w: World, hash: string) => w.storage.findSignInLink({ hash: Buffer.from(hash) })

const ask = (w: World, email: string, limit: typeof LIMIT = LIMIT) =>
  w.storage.createSignInLink({
    madeBy: null,
    email,
    hash: Buffer.from(w.name('hash_')),
    limit,
    notice: null,
    expiresAt: w.now + LIMIT.windowMs,
    now: w.now,
  })

export function signInLinkSuite({ world }: Subject): void {
  describe('links to sign in', () => {
    test('are found by their hash, for an address or with their member', async () => {
      const w = world()
      const workspace = await w.workspace()
      const member = await w.member(workspace)
      const link = await w.link('Ana@example.com', 'a')
      expect(link).toEqual({
        id: expect.any(Number),
        kind: 'operator',
        email: 'Ana@example.com',
        memberId: null,
        createdAt: w.now,
        expiresAt: w.now + HOUR_MS,
        usedAt: null,
      })
      const portal = await w.portalLink(member, 'b')
      expect(portal).toMatchObject({ kind: 'portal', email: null, memberId: member.id, usedAt: null })
      expect(await find(w, 'a')).toEqual({ link, member: null, workspace: null })
      expect(await find(w, 'b')).toEqual({ link: portal, member, workspace })
      expect(await find(w, 'c')).toBeNull()
    })

    test('are created only for members of the workspace, and deleted with them', async () => {
      const w = world()
      const [mine, other] = [await w.workspace(), await w.workspace()]
      const [member, late] = [await w.member(mine), await w.member(mine)]
      expect(await w.portalLink({ ...member, workspaceId: other.id })).toBeNull()
      await w.portalLink(member, 'a')
      await w.storage.deleteMember({ workspaceId: mine.id, publicId: member.publicId, now: w.now })
      expect(await find(w, 'a')).toBeNull()
      await w.portalLink(late, 'b')
      await w.storage.deleteWorkspace({ workspaceId: mine.id, now: w.now })
      expect(await find(w, 'b')).toMatchObject({ member: null, workspace: null })
      expect(await w.signInToPortal('b')).toBeNull()
      expect(await w.portalLink(late)).toBeNull()
    })

    test('created by a person are recorded in each workspace that they open, requested ones in none', async () => {
      const w = world()
      const workspaces = [await w.workspace(), await w.workspace()]
      const members = [
        await w.member(workspaces[0]!, 'Ana@example.com'),
        await w.member(workspaces[1]!, 'Ana@example.com'),
      ]
      await w.member(workspaces[0]!, 'bo@example.com')
      const all = { workspacePublicId: null, targetId: null, limit: 100, before: null }
      const before = await w.storage.listAudit(all)
      await ask(w, 'ana@example.com')
      expect(await w.storage.listAudit(all)).toEqual(before)
      await w.link('ANA@example.com')
      const noted = (await w.storage.listAudit(all)).slice(0, -before.length || undefined)
      const entry = (index: number) => ({
        id: expect.any(Number),
        at: w.now,
        action: 'member.sign_in_link_created',
        actor: { type: 'operator', id: null, sessionId: null },
        workspacePublicId: workspaces[index]!.publicId,
        target: { type: 'member', id: members[index]!.publicId },
        details: {},
        requestId: 'req_of_link',
      })
      expect(noted).toHaveLength(2)
      expect(noted).toEqual(expect.arrayContaining([entry(0), entry(1)]))
    })

    test('that are e-mailed are limited for each address, in whatever case, and for no other', async () => {
      const w = world()
      const outcomes = []
      for (const email of ['ana@example.com', 'ANA@example.com', 'Ana@Example.com', 'ana@example.com'])
        outcomes.push((await ask(w, email)).outcome)
      expect(outcomes).toEqual(['created', 'created', 'created', 'rate_limited'])
      expect(await ask(w, 'bo@example.com')).toMatchObject({ outcome: 'created' })
      await w.link('ana@example.com')
      w.now += LIMIT.windowMs - 1
      expect(await ask(w, 'ana@example.com')).toEqual({
        outcome: 'rate_limited',
        limit: { remaining: 0, resetMs: 1 },
      })
      w.now += 1
      expect(await ask(w, 'ana@example.com')).toMatchObject({ outcome: 'created' })
    })

    test('are also counted for concurrent requests', async () => {
      const w = world()
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => ask(w, 'ana@example.com')))
      expect(outcomes.filter(({ outcome }) => outcome === 'created')).toHaveLength(LIMIT.max)
    })

    test('are stored together with their e-mail, or not at all', async () => {
      const w = world()
      const notice = { toEmail: 'Ana@example.com', sealed: Uint8Array.of(1, 0, 255) }
      const link = (hash: string) =>
        w.storage.createSignInLink({
          madeBy: null,
          email: 'ana@example.com',
          hash: Buffer.from(hash),
          limit: LIMIT,
          notice,
          expiresAt: w.now + LIMIT.windowMs,
          now: w.now,
        })
      await link('a')
      await expect(link('a')).rejects.toThrow()
      const of = { claim: 'one', claimMs: MINUTE_MS, now: w.now, limit: 10 }
      const { notifications } = await w.storage.claimNotifications(of)
      expect(notifications).toMatchObject([
        { kind: 'sign_in', toEmail: 'Ana@example.com', expiresAt: w.now + LIMIT.windowMs },
      ])
      expect([...notifications[0]!.sealed!]).toEqual([1, 0, 255])
    })

    test('from the future count for no longer than the window', async () => {
      const w = world()
      w.now += HOUR_MS
      for (let n = 0; n < LIMIT.max; n++) await ask(w, 'ana@example.com')
      w.now -= HOUR_MS
      expect(await ask(w, 'ana@example.com')).toMatchObject({ outcome: 'created' })
    })

    test('that have expired are found until maintenance removes them', async () => {
      const w = world()
      const link = await w.link('ana@example.com', 'a')
      w.now = link.expiresAt
      await w.expireAll(0)
      expect(await find(w, 'a')).toMatchObject({ link })
      w.now += 1
      await w.expireAll(0)
      expect(await find(w, 'a')).toBeNull()
    })
  })

  describe('the owner of an email address', () => {
    test('is its operator, or else its oldest member, with the address as spelled there', async () => {
      const w = world()
      const addressee = (email: string) => w.storage.findAddressee({ email })
      expect(await addressee('ana@example.com')).toBeNull()
      const member = await w.member(await w.workspace(), 'Ana@example.com')
      await w.member(await w.workspace(), 'ANA@example.com')
      expect(await addressee('ana@EXAMPLE.com')).toEqual({
        publicId: member.publicId,
        email: 'Ana@example.com',
        name: member.name,
      })
      const operator = await w.operator('aNa@example.com')
      expect(await addressee('ana@example.com')).toEqual({
        publicId: operator.publicId,
        email: 'aNa@example.com',
        name: operator.name,
      })
    })

    test('does not exist once the member or the workspace is gone', async () => {
      const w = world()
      const [left, right] = [await w.workspace(), await w.workspace()]
      const ana = await w.member(left, 'ana@example.com')
      await w.member(right, 'bo@example.com')
      await w.storage.deleteMember({ workspaceId: left.id, publicId: ana.publicId, now: w.now })
      await w.storage.deleteWorkspace({ workspaceId: right.id, now: w.now })
      for (const email of ['ana@example.com', 'bo@example.com'])
        expect(await w.storage.findAddressee({ email })).toBeNull()
    })
  })

  describe('operators', () => {
    test('are listed newest first, and removed', async () => {
      const w = world()
      const [first, second] = [await w.operator(), await w.operator()]
      expect(first).toEqual({
        id: expect.any(Number),
        publicId: expect.any(String),
        email: expect.any(String),
        name: 'An operator',
        fromProvider: false,
        createdAt: w.now,
      })
      expect(await w.storage.listOperators({ limit: 10, before: null })).toEqual([second, first])
      expect(await w.storage.listOperators({ limit: 1, before: second.id })).toEqual([first])
      const { publicId } = first
      expect(await w.storage.deleteOperator({ publicId, now: w.now })).toBe(true)
      expect(await w.storage.deleteOperator({ publicId, now: w.now })).toBe(false)
      expect(await w.storage.listOperators({ limit: 10, before: null })).toEqual([second])
    })

    test('have a unique email address, in whatever case', async () => {
      const w = world()
      await w.operator('ana@example.com')
      expect(await w.operator('Ana@Example.com')).toBeNull()
    })
  })
}
