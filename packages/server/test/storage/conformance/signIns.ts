import { describe, expect, test } from 'vitest'
import type { Subject } from './subject.ts'
import { HOUR_MS, type World } from './world.ts'

const find = (w: World, hash: string) => w.storage.findBrowserSession({ hash: Buffer.from(hash) })
const ALL = { workspacePublicId: null, targetId: null, limit: 100, before: null }
const AT_ONCE = 8

export function signInSuite({ world }: Subject): void {
  describe('signing in', () => {
    test('gives a session of the email address, with its current roles', async () => {
      const w = world()
      const [left, right] = [await w.workspace(), await w.workspace()]
      const ana = await w.member(left, 'ana@example.com')
      await w.member(left)
      await w.link('ANA@example.com', 'link')
      const session = await w.signIn('link', 'a')
      expect(session).toEqual({
        id: expect.any(Number),
        publicId: expect.any(String),
        email: 'ANA@example.com',
        byProvider: false,
        createdAt: w.now,
        expiresAt: w.now + HOUR_MS,
      })
      const memberships = [{ member: ana, workspace: left }]
      expect(await find(w, 'a')).toEqual({ session, operator: null, memberships })
      expect(await find(w, 'b')).toBeNull()

      const other = await w.member(right, 'Ana@example.com')
      const operator = await w.operator('ana@example.com')
      const { publicId, workspaceId } = ana
      await w.storage.updateMember({ workspaceId, publicId, changes: { role: 'viewer' } })
      expect(await find(w, 'a')).toEqual({
        session,
        operator,
        memberships: [
          { member: { ...ana, role: 'viewer' }, workspace: left },
          { member: other, workspace: right },
        ],
      })
      await w.storage.deleteMember({ workspaceId, publicId, now: w.now })
      await w.storage.deleteWorkspace({ workspaceId: right.id, now: w.now })
      expect(await find(w, 'a')).toEqual({ session, operator, memberships: [] })
      await w.storage.deleteOperator({ publicId: operator.publicId, now: w.now })
      expect(await find(w, 'a')).toBeNull()
    })

    test('is possible once with a link, however many try at once', async () => {
      const w = world()
      const member = await w.member(await w.workspace(), 'ana@example.com')
      await w.link('ana@example.com', 'link')
      await w.portalLink(member, 'portal')
      const many = await Promise.all(Array.from({ length: AT_ONCE }, () => w.signIn('link')))
      expect(many.filter((one) => one !== null)).toHaveLength(1)
      const portals = await Promise.all(Array.from({ length: AT_ONCE }, () => w.signInToPortal('portal')))
      expect(portals.filter((one) => one !== null)).toHaveLength(1)
      expect([await w.signIn('link'), await w.signInToPortal('portal')]).toEqual([null, null])
      const used = await w.storage.findSignInLink({ hash: Buffer.from('link') })
      expect(used?.link.usedAt).toBe(w.now)
    })

    test('is not possible with an expired link, one of the other kind, or one for an unknown address', async () => {
      const w = world()
      const member = await w.member(await w.workspace(), 'ana@example.com')
      await w.link('ana@example.com', 'link')
      await w.portalLink(member, 'portal')
      await w.link('unknown@example.com', 'of no owner')
      expect(await w.signIn('of no owner')).toBeNull()
      expect([await w.signIn('portal'), await w.signInToPortal('link')]).toEqual([null, null])
      expect(await w.signIn('unknown')).toBeNull()
      w.now += HOUR_MS
      expect([await w.signIn('link'), await w.signInToPortal('portal')]).toEqual([null, null])
      w.now -= 1
      expect(await w.signIn('link')).not.toBeNull()
      expect(await w.signInToPortal('portal')).not.toBeNull()
    })

    test('with a portal link gives a session of only the member', async () => {
      const w = world()
      const workspace = await w.workspace()
      const member = await w.member(workspace)
      await w.portalLink(member, 'portal')
      const session = await w.signInToPortal('portal', 'a')
      const found = await w.storage.findSession({ hash: Buffer.from('a') })
      expect(found).toEqual({ session, member, workspace })
      expect(await find(w, 'a')).toBeNull()
    })

    test('with a portal link in a continuing session of the email address only uses up the link', async () => {
      const w = world()
      const workspace = await w.workspace()
      const member = await w.member(workspace, 'ana@example.com')
      await w.member(workspace, 'bo@example.com')
      await w.link('Ana@example.com', 'ana')
      await w.link('bo@example.com', 'bo')
      const [session, another] = [(await w.signIn('ana'))!, (await w.signIn('bo'))!]
      await w.portalLink(member, 'portal')
      expect(await w.usePortalLinkIn(another, 'portal')).toBe(false)
      expect(await w.usePortalLinkIn(session, 'portal', session.expiresAt + 1)).toBe(false)
      expect(await w.usePortalLinkIn({ id: session.id + 1_000 }, 'portal')).toBe(false)
      expect(await w.usePortalLinkIn(session, 'unknown')).toBe(false)
      const tries = Array.from({ length: AT_ONCE }, () =>
        w.usePortalLinkIn(session, 'portal', session.expiresAt),
      )
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1)
      expect(await w.signInToPortal('portal')).toBeNull()
      const [entry] = await w.storage.listAudit(ALL)
      expect(entry).toMatchObject({ action: 'member.signed_in', details: { by: 'portal_link' } })
      expect(entry?.actor).toMatchObject({ id: member.publicId, sessionId: session.publicId })
    })

    test('and out is recorded in each workspace of the user', async () => {
      const w = world()
      const workspaces = [await w.workspace(), await w.workspace()]
      for (const one of workspaces) await w.member(one, 'ana@example.com')
      await w.link('ana@example.com', 'link')
      const before = await w.storage.listAudit(ALL)
      const session = (await w.signIn('link'))!
      const end = { sessionId: session.id, now: w.now, requestId: 'req_2' }
      expect(await w.storage.endBrowserSession(end)).toBe(true)
      expect(await w.storage.endBrowserSession(end)).toBe(false)
      const after = await w.storage.listAudit(ALL)
      const entries = after.slice(0, after.length - before.length).reverse()
      expect(entries.map(({ action, workspacePublicId }) => [action, workspacePublicId]).sort()).toEqual(
        workspaces
          .flatMap(({ publicId }) => [
            ['member.signed_in', publicId],
            ['member.signed_out', publicId],
          ])
          .sort(),
      )
      for (const { actor, target } of entries) {
        expect(actor).toEqual({ type: 'member', id: target.id, sessionId: session.publicId })
      }
    })

    test('out everywhere ends all sessions of the address and uses up its links, and no others', async () => {
      const w = world()
      const workspace = await w.workspace()
      const ana = await w.member(workspace, 'Ana@example.com')
      const bo = await w.member(workspace, 'bo@example.com')
      const sessions = []
      for (const [email, hash] of [
        ['ana@example.com', 'a'],
        ['ANA@example.com', 'b'],
        ['bo@example.com', 'c'],
      ] as const) {
        await w.link(email, `link ${hash}`)
        sessions.push((await w.signIn(`link ${hash}`, hash))!)
      }
      await w.session(ana, 'of ana')
      await w.session(bo, 'of bo')
      await w.link('ana@example.com', 'open')
      await w.portalLink(ana, 'open portal')
      await w.link('bo@example.com', 'open of bo')
      const end = { sessionId: sessions[0]!.id, now: w.now, requestId: 'req_2' }
      expect(await w.storage.endBrowserSessions(end)).toBe(3)
      expect(await w.storage.endBrowserSessions(end)).toBe(0)
      expect([await find(w, 'a'), await find(w, 'b')]).toEqual([null, null])
      expect(await find(w, 'c')).not.toBeNull()
      const ofMembers = ['of ana', 'of bo'].map((hash) => w.storage.findSession({ hash: Buffer.from(hash) }))
      expect((await Promise.all(ofMembers)).map((one) => one !== null)).toEqual([false, true])
      expect([await w.signIn('open'), await w.signInToPortal('open portal')]).toEqual([null, null])
      expect(await w.signIn('open of bo')).not.toBeNull()
    })

    test('out of a member ends the sessions of browsers with the address too', async () => {
      const w = world()
      const workspace = await w.workspace()
      const ana = await w.member(workspace, 'ana@example.com')
      await w.link('ANA@example.com', 'link')
      await w.signIn('link', 'a')
      await w.session(ana, 'b')
      await w.link('ana@example.com', 'open')
      const of = { workspaceId: workspace.id, memberId: ana.id, ofAddress: true, now: w.now }
      expect(await w.storage.deleteSessions(of)).toBe(2)
      expect(await find(w, 'a')).toBeNull()
      expect(await w.signIn('open')).toBeNull()
    })

    test.each(['a member', 'a workspace'])(
      'ends with %s when no other person has the address, and earlier browsers stay signed out',
      async (removed) => {
        const w = world()
        const [workspace, other, gone] = [await w.workspace(), await w.workspace(), await w.workspace()]
        const names = ['ana', 'bo', 'cy', 'dee'] as const
        const members = []
        for (const name of names) {
          members.push(await w.member(workspace, `${name}@example.com`))
          await w.link(`${name.toUpperCase()}@example.com`, `used of ${name}`)
          await w.signIn(`used of ${name}`, name)
          await w.link(`${name.toUpperCase()}@example.com`, `open of ${name}`)
          await w.portalLink(members.at(-1)!, `portal of ${name}`)
        }
        await w.member(other, 'BO@example.com')
        await w.operator('Cy@example.com')
        await w.member(gone, 'dee@example.com')
        await w.storage.deleteWorkspace({ workspaceId: gone.id, now: w.now })
        const workspaceId = workspace.id
        if (removed === 'a workspace') await w.storage.deleteWorkspace({ workspaceId, now: w.now })
        else
          for (const { publicId } of members)
            await w.storage.deleteMember({ workspaceId, publicId, now: w.now })
        for (const name of names) await w.member(other, `${name}@EXAMPLE.com`).catch(() => null)
        const left = async (name: string) => [
          (await find(w, name)) !== null,
          (await w.signIn(`open of ${name}`)) !== null,
          (await w.signInToPortal(`portal of ${name}`)) !== null,
        ]
        expect(await Promise.all(names.map(left))).toEqual([
          [false, false, false],
          [true, true, false],
          [true, true, false],
          [false, false, false],
        ])
      },
    )

    test('out of only a member keeps sessions of the email address and its other members', async () => {
      const w = world()
      const ana = await w.member(await w.workspace(), 'ana@example.com')
      const elsewhere = await w.member(await w.workspace(), 'ana@example.com')
      await w.link('ana@example.com', 'link')
      await w.signIn('link', 'a')
      for (const [member, name] of [
        [ana, 'here'],
        [elsewhere, 'there'],
      ] as const) {
        await w.session(member, name)
        await w.portalLink(member, `portal ${name}`)
      }
      await w.link('ana@example.com', 'open')
      const of = { workspaceId: ana.workspaceId, memberId: ana.id, ofAddress: false, now: w.now }
      expect(await w.storage.deleteSessions(of)).toBe(1)
      expect(await w.storage.deleteSessions(of)).toBe(0)
      const ofMembers = ['here', 'there'].map((hash) => w.storage.findSession({ hash: Buffer.from(hash) }))
      expect((await Promise.all(ofMembers)).map((one) => one !== null)).toEqual([false, true])
      expect([await w.signInToPortal('portal here'), await w.signIn('open')]).toEqual([
        null,
        expect.objectContaining({ email: 'ana@example.com' }),
      ])
      expect(await w.signInToPortal('portal there')).not.toBeNull()
      expect(await find(w, 'a')).not.toBeNull()
    })

    test('with the admin token gives a session of no address, which ends with all of its kind', async () => {
      const w = world()
      const make = (hash: string) =>
        w.storage.createBrowserSession({
          publicId: w.name('ses_'),
          hash: Buffer.from(hash),
          expiresAt: w.now + HOUR_MS,
          now: w.now,
        })
      const session = await make('a')
      await make('b')
      await w.member(await w.workspace(), 'ana@example.com')
      await w.link('ana@example.com', 'link')
      await w.signIn('link', 'c')
      expect(await find(w, 'a')).toEqual({ session, operator: null, memberships: [] })
      expect(session.email).toBeNull()
      const end = { sessionId: session.id, now: w.now, requestId: 'req_1' }
      expect(await w.storage.endBrowserSessions(end)).toBe(2)
      expect([await find(w, 'a'), await find(w, 'b')]).toEqual([null, null])
      expect(await find(w, 'c')).not.toBeNull()
    })

    test('expired sessions are found until maintenance removes them', async () => {
      const w = world()
      await w.member(await w.workspace(), 'ana@example.com')
      await w.link('ana@example.com', 'link')
      const session = (await w.signIn('link', 'a'))!
      w.now = session.expiresAt
      await w.expireAll(0)
      expect(await find(w, 'a')).toMatchObject({ session })
      w.now += 1
      await w.expireAll(0)
      expect(await find(w, 'a')).toBeNull()
    })
  })
}
