import { describe, expect, test } from 'vitest'
import type { Subject } from './subject.ts'
import { STRICT } from './world.ts'

export function workspaceSuite({ world }: Subject): void {
  describe('workspaces', () => {
    test('a workspace is stored as created', async () => {
      const w = world()
      const made = await w.workspace({ slug: 'acme' })
      expect(made).toEqual({
        id: expect.any(Number),
        publicId: expect.any(String),
        dialect: 'content',
        slug: 'acme',
        name: 'A workspace',
        suspendedAt: null,
        createdAt: w.now,
      })
      expect(await w.storage.getWorkspace({ ref: made.publicId, dialects: null })).toEqual(made)
    })

    test('a slug is unique in a service', async () => {
      const w = world()
      await w.workspace({ slug: 'acme' })
      expect(await w.workspace({ slug: 'acme' })).toBeNull()
      expect(await w.workspace({ slug: 'acme', dialect: 'ads' })).not.toBeNull()
    })

    test('the slug of a deleted workspace is free again', async () => {
      const w = world()
      const { id: workspaceId } = await w.workspace({ slug: 'acme' })
      await w.storage.deleteWorkspace({ workspaceId, now: w.now })
      expect(await w.workspace({ slug: 'acme' })).not.toBeNull()
    })

    test('a workspace is found by id or slug, in its dialect', async () => {
      const w = world()
      const made = await w.workspace({ slug: 'acme' })
      const find = (ref: string, dialect: string | null) =>
        w.storage.getWorkspace({ ref, dialects: dialect === null ? null : [dialect] })
      for (const ref of [made.publicId, 'acme']) {
        expect(await find(ref, 'content')).toEqual(made)
        expect(await find(ref, null)).toEqual(made)
        expect(await find(ref, 'ads')).toBeNull()
      }
      expect(await find('unknown', null)).toBeNull()
    })

    test('a slug in two services is ambiguous without the service', async () => {
      const w = world()
      await w.workspace({ slug: 'acme' })
      const ads = await w.workspace({ slug: 'acme', dialect: 'ads' })
      expect(await w.storage.getWorkspace({ ref: 'acme', dialects: null })).toBeNull()
      expect(await w.storage.getWorkspace({ ref: 'acme', dialects: ['ads'] })).toEqual(ads)
    })

    test('workspaces are listed newest first, in pages', async () => {
      const w = world()
      const made = [await w.workspace(), await w.workspace(), await w.workspace()]
      const page = await w.storage.listWorkspaces({ limit: 2, before: null })
      const rest = await w.storage.listWorkspaces({ limit: 2, before: page[1]!.id })
      expect([...page, ...rest]).toEqual(made.reverse())
    })

    test('suspending shows every enabled webhook as paused, and returns them', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [on, off] = [await w.webhook(workspace), await w.webhook(workspace)]
      await w.update(off, { status: 'off' })
      const { id: workspaceId } = workspace
      expect(await w.storage.suspendWorkspace({ workspaceId, suspended: true, now: w.now })).toEqual([on.id])
      const suspended = await w.storage.getWorkspace({ ref: workspace.publicId, dialects: null })
      expect(suspended).toMatchObject({ suspendedAt: w.now })
      const paused = await w.reread(on)
      expect(paused.status).toBe('paused')
      expect(paused.version).toBeGreaterThan(on.version)
      expect((await w.reread(off)).status).toBe('off')
      expect(await w.storage.suspendWorkspace({ workspaceId, suspended: false, now: w.now })).toEqual([on.id])
      expect((await w.reread(on)).status).toBe('on')
    })

    test('suspending twice changes nothing the second time', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      await w.storage.suspendWorkspace({ workspaceId: workspace.id, suspended: true, now: w.now })
      const { version } = await w.reread(webhook)
      const again = await w.storage.suspendWorkspace({
        workspaceId: workspace.id,
        suspended: true,
        now: w.now + 1,
      })
      expect(again).toBeNull()
      expect((await w.reread(webhook)).version).toBe(version)
    })

    test('suspending a workspace without webhooks is distinguished from suspending it twice', async () => {
      const w = world()
      const { id: workspaceId } = await w.workspace()
      const suspend = (suspended: boolean) =>
        w.storage.suspendWorkspace({ workspaceId, suspended, now: w.now })
      expect([await suspend(false), await suspend(true), await suspend(true)]).toEqual([null, [], null])
      expect([await suspend(false), await suspend(false)]).toEqual([[], null])
      await w.storage.deleteWorkspace({ workspaceId, now: w.now })
      expect(await suspend(true)).toBeNull()
    })

    test("an owner's changes to webhooks of a suspended workspace apply once it is resumed", async () => {
      const w = world()
      const workspace = await w.workspace()
      const [a, b] = [await w.webhook(workspace), await w.webhook(workspace)]
      await w.storage.suspendWorkspace({ workspaceId: workspace.id, suspended: true, now: w.now })
      expect(await w.update(a, { status: 'paused' })).toMatchObject({ status: 'paused' })
      expect(await w.update(b, { status: 'off' })).toMatchObject({ status: 'off' })
      expect(await w.update(b, { status: 'on' })).toMatchObject({ status: 'paused' })
      await w.storage.suspendWorkspace({ workspaceId: workspace.id, suspended: false, now: w.now })
      expect([(await w.reread(a)).status, (await w.reread(b)).status]).toEqual(['paused', 'on'])
    })

    test('a deleted workspace is gone with all its content', async () => {
      const w = world()
      const workspace = await w.workspace()
      const { id: workspaceId, publicId, slug } = workspace
      const member = await w.member(workspace)
      const key = await w.key(workspace, member)
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      expect(await w.storage.deleteWorkspace({ workspaceId, now: w.now })).toEqual([webhook.id])
      expect(await w.storage.deleteWorkspace({ workspaceId, now: w.now })).toBeNull()
      const page = { workspaceId, limit: 10, before: null }
      expect(await w.storage.getWorkspace({ ref: publicId, dialects: null })).toBeNull()
      expect(await w.storage.getWorkspace({ ref: slug, dialects: ['content'] })).toBeNull()
      expect(await w.storage.listWorkspaces({ limit: 10, before: null })).toEqual([])
      expect(await w.storage.getMember({ workspaceId, publicId: member.publicId })).toBeNull()
      expect(await w.storage.listMembers(page)).toEqual([])
      expect(await w.storage.findKey({ hash: Buffer.from(key.publicId) })).toBeNull()
      expect(await w.storage.getKey({ workspaceId, publicId: key.publicId })).toBeNull()
      expect(await w.storage.listKeys(page)).toEqual([])
      expect(await w.storage.getWebhook({ workspaceId, publicId: webhook.publicId })).toBeNull()
      expect(await w.storage.listWebhooks(page)).toEqual([])
      expect(await w.storage.getDelivery({ workspaceId, deliveryId: ref!.deliveryId })).toBeNull()
      expect(await w.leased(nodeId, workspace)).toEqual([])
      expect(await w.record(nodeId, [w.gone(ref!)], STRICT)).toMatchObject({ lost: [], disabled: [] })
      expect(await w.claim(nodeId)).toMatchObject({ deliveries: [], nextDueAt: null })
    })

    test('deleting one workspace does not affect the others', async () => {
      const w = world()
      const [gone, stays] = [await w.workspace(), await w.workspace()]
      await w.webhook(gone)
      const webhook = await w.webhook(stays)
      await w.waiting(await w.node(), stays)
      await w.storage.deleteWorkspace({ workspaceId: gone.id, now: w.now })
      expect(await w.statuses(webhook)).toEqual(['pending'])
    })
  })
}
