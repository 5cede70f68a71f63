import { describe, expect, test } from 'vitest'
import type { Subject } from './subject.ts'
import type { World } from './world.ts'

const ANA = 'ana@example.com'
const AT_ONCE = 8

const find = (w: World, hash: string) => w.storage.findBrowserSession({ hash: Buffer.from(hash) })

export function providerSignInSuite({ world }: Subject): void {
  describe('signing in by the identity provider', () => {
    test('gives the roles in the claims, in this session only', async () => {
      const w = world()
      const workspace = await w.workspace()
      const { session, operatorChange } = await w.signInByProvider(ANA, {
        operator: 'opr_1',
        members: [[workspace, 'viewer']],
        hash: 'a',
      })
      expect(session).toMatchObject({ email: ANA, byProvider: true })
      expect(operatorChange).toEqual({ change: 'added', publicId: 'opr_1' })
      const found = (await find(w, 'a'))!
      expect(found).toMatchObject({
        session,
        operator: { publicId: 'opr_1', email: ANA, fromProvider: true },
        memberships: [{ workspace, member: { email: ANA, role: 'viewer', fromProvider: true } }],
      })
      expect(await w.storage.findAddressee({ email: ANA })).toBeNull()
      await w.link(ANA, 'link')
      expect(await w.signIn('link')).toBeNull()
      const { member } = found.memberships[0]!
      expect(await w.portalLink(member)).toBeNull()
      const session2 = { workspaceId: workspace.id, memberId: member.id, publicId: 'ses_2' }
      const of = { hash: Buffer.from('b'), expiresAt: w.now + 1, now: w.now }
      expect(await w.storage.createSession({ ...session2, ...of })).toBeNull()
    })

    test('keeps members in a service that the node does not know, and creates none', async () => {
      const w = world()
      const [left, right] = [await w.workspace(), await w.workspace()]
      await w.signInByProvider(ANA, { members: [[left, 'viewer']] })
      await w.signInByProvider(ANA, {
        members: [
          [left, 'editor'],
          [right, 'editor'],
        ],
        knows: false,
        hash: 'a',
      })
      expect((await find(w, 'a'))?.memberships).toMatchObject([
        { workspace: { id: left.id }, member: { role: 'editor', fromProvider: true } },
      ])
    })

    test('removes exactly the roles that are no longer in the claims', async () => {
      const w = world()
      const [left, right] = [await w.workspace(), await w.workspace()]
      const byHand = await w.member(left, ANA, 'viewer')
      await w.signInByProvider(ANA, {
        operator: 'opr_1',
        members: [
          [left, 'owner'],
          [right, 'owner'],
        ],
        hash: 'a',
      })
      await w.signInByProvider(ANA, { operator: 'opr_2', members: [[right, 'editor']], hash: 'b' })
      const roles = async (hash: string) =>
        (await find(w, hash))?.memberships.map(({ member }) => [member.role, member.fromProvider])
      expect(await roles('a')).toEqual([
        ['viewer', false],
        ['editor', true],
      ])
      expect((await find(w, 'b'))?.operator?.publicId).toBe('opr_1')
      const { session, operatorChange } = await w.signInByProvider(ANA, { hash: 'c' })
      expect(operatorChange).toEqual({ change: 'removed', publicId: 'opr_1' })
      expect(session).not.toBeNull()
      // As when people remove an operator.
      expect([await find(w, 'a'), await find(w, 'b')]).toEqual([null, null])
      expect((await find(w, 'c'))?.memberships).toEqual([{ member: byHand, workspace: left }])
    })

    test('begins no session for an address without a role, and leaves none', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.signInByProvider(ANA, { members: [[workspace, 'owner']], hash: 'a' })
      await w.link(ANA, 'link')
      expect(await w.signInByProvider(ANA, { hash: 'b' })).toEqual({ session: null, operatorChange: null })
      expect([await find(w, 'a'), await find(w, 'b')]).toEqual([null, null])
      const used = await w.storage.findSignInLink({ hash: Buffer.from('link') })
      expect(used?.link.usedAt).toBe(w.now)
      const page = { limit: 10, before: null }
      expect(await w.storage.listMembers({ workspaceId: workspace.id, ...page })).toEqual([])
    })

    test('skips a deleted workspace', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.storage.deleteWorkspace({ workspaceId: workspace.id, now: w.now })
      expect((await w.signInByProvider(ANA, { members: [[workspace, 'owner']] })).session).toBeNull()
    })

    test('creates one member and one operator, however many sign in at once', async () => {
      const w = world()
      const workspace = await w.workspace()
      const signedIn = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, i) =>
          w.signInByProvider(ANA, { operator: `opr_${i}`, members: [[workspace, 'owner']] }),
        ),
      )
      expect(signedIn.filter(({ session }) => session !== null)).toHaveLength(AT_ONCE)
      expect(signedIn.filter(({ operatorChange }) => operatorChange !== null)).toHaveLength(1)
      const page = { limit: 10, before: null }
      expect(await w.storage.listMembers({ workspaceId: workspace.id, ...page })).toHaveLength(1)
      expect(await w.storage.listOperators(page)).toHaveLength(1)
    })

    test('records each change and the sign-in in the audit log', async () => {
      const w = world()
      const workspace = await w.workspace()
      for (const role of ['viewer', 'owner', 'owner', null] as const)
        await w.signInByProvider(ANA, { members: role === null ? [] : [[workspace, role]] })
      const page = { workspacePublicId: workspace.publicId, targetId: null, limit: 100, before: null }
      const entries = (await w.storage.listAudit(page)).toReversed()
      expect(entries.map(({ action, actor, details }) => [action, actor.type, details])).toEqual([
        ['member.created', 'system', { role: 'viewer', by: 'provider' }],
        ['member.signed_in', 'member', { by: 'provider' }],
        ['member.updated', 'system', { members: ['role'], role: 'owner', by: 'provider' }],
        ['member.signed_in', 'member', { by: 'provider' }],
        ['member.signed_in', 'member', { by: 'provider' }],
        ['member.deleted', 'system', { by: 'provider' }],
      ])
    })
  })

  describe('adding by hand a role from the identity provider', () => {
    test('makes it independent of the claims, with its id', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.signInByProvider(ANA, { operator: 'opr_1', members: [[workspace, 'viewer']], hash: 'a' })
      const { member } = (await find(w, 'a'))!.memberships[0]!
      const adopted = await w.member(workspace, 'ANA@example.com', 'editor')
      const changes = { name: 'A member', role: 'editor', fromProvider: false } as const
      expect(adopted).toEqual({ ...member, ...changes })
      expect(await w.operator('ANA@example.com')).toMatchObject({ publicId: 'opr_1', fromProvider: false })
      expect(await w.member(workspace, ANA)).toBeNull()
      expect(await w.operator(ANA)).toBeNull()
      expect((await w.signInByProvider(ANA, {})).operatorChange).toBeNull()
      expect((await find(w, 'a'))?.memberships).toEqual([{ member: adopted, workspace }])
      await w.link(ANA, 'link')
      expect(await w.signIn('link')).not.toBeNull()
    })

    test('loses nothing when the user signs in at the same moment', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.signInByProvider(ANA, { members: [[workspace, 'viewer']] })
      const [adopted] = await Promise.all([w.member(workspace, ANA, 'owner'), w.signInByProvider(ANA, {})])
      const page = { workspaceId: workspace.id, limit: 10, before: null }
      expect(await w.storage.listMembers(page)).toEqual([adopted])
      expect(adopted).toMatchObject({ role: 'owner', fromProvider: false })
    })
  })

  describe('removing manual roles of an address with roles from claims', () => {
    test('ends the sessions of links and portals, and not those of the provider', async () => {
      const w = world()
      const [left, right] = [await w.workspace(), await w.workspace()]
      const { publicId, workspaceId } = await w.member(left, ANA)
      await w.link(ANA, 'link')
      await w.signIn('link', 'by link')
      await w.link(ANA, 'later')
      await w.signInByProvider(ANA, { members: [[right, 'owner']], hash: 'by provider' })
      await w.storage.deleteMember({ workspaceId, publicId, now: w.now })
      expect(await find(w, 'by link')).toBeNull()
      expect((await find(w, 'by provider'))?.memberships).toHaveLength(1)
      await w.member(left, ANA)
      expect(await w.signIn('later')).toBeNull()
    })
  })
}
