import { describe, expect, test } from 'vitest'
import type { Webhook } from '../../../src/storage/rows.ts'
import type { ChangeParams, ToAudit } from '../../../src/storage/storage.ts'
import { noted } from './noted.ts'
import type { Subject } from './subject.ts'
import type { World } from './world.ts'

function createWorkspace(w: World, changes: Partial<ChangeParams<'createWorkspace'>> = {}) {
  const publicId = w.name('ws_')
  const params = { publicId, dialect: 'content', slug: publicId, name: '', now: w.now, ...changes }
  const audit = noted('workspace.created')
  return w.storage.change({ call: 'createWorkspace', params, audit, idempotency: null, now: w.now })
}

function update(w: World, { id: webhookId, workspaceId, version }: Webhook, description: string) {
  const params = { workspaceId, webhookId, ifVersions: [version], changes: { description }, now: w.now }
  const audit = noted('webhook.updated')
  return w.storage.change({ call: 'updateWebhook', params, audit, idempotency: null, now: w.now })
}

/** Oldest first. */
async function actions(w: World): Promise<string[]> {
  const entries = await w.storage.listAudit({
    workspacePublicId: null,
    targetId: null,
    limit: 100,
    before: null,
  })
  return entries.map(({ action }) => action).reverse()
}

export function changeSuite({ world }: Subject): void {
  describe('changes', () => {
    test('a change is the call itself, with its result, and an entry in the audit log', async () => {
      const w = world()
      const { result, repeated, responseData } = await createWorkspace(w, { slug: 'acme' })
      expect(result).toMatchObject({ slug: 'acme', createdAt: w.now })
      expect({ repeated, responseData }).toEqual({ repeated: false, responseData: null })
      expect(await w.storage.getWorkspace({ ref: 'acme', dialects: null })).toEqual(result)
      expect(await actions(w)).toEqual(['workspace.created'])
    })

    test('a change without an entry to write leaves none', async () => {
      const w = world()
      const params = { publicId: 'op_1', email: 'a@example.com', name: '', now: w.now }
      await w.storage.change({ call: 'createOperator', params, audit: null, idempotency: null, now: w.now })
      expect(await w.storage.listOperators({ limit: 10, before: null })).toHaveLength(1)
      expect(await actions(w)).toEqual([])
    })

    test('a rejected or ineffective change is not in the audit log', async () => {
      const w = world()
      await createWorkspace(w, { slug: 'acme' })
      expect((await createWorkspace(w, { slug: 'acme' })).result).toBeNull()
      const webhook = await w.webhook(await w.workspace())
      const same = await update(w, webhook, webhook.description)
      expect(same.result).toEqual({ outcome: 'updated', webhook, changed: false })
      const changed = await update(w, webhook, 'changed')
      expect(changed.result).toMatchObject({ outcome: 'updated', changed: true })
      const late = await update(w, webhook, 'too late')
      expect(late.result).toMatchObject({ outcome: 'other_version' })
      expect(await actions(w)).toEqual(['workspace.created', 'webhook.updated'])
    })

    test('every kind of change can be made', async () => {
      const w = world()
      const { storage, now } = w
      const workspace = await w.workspace()
      const { id: workspaceId } = workspace
      const [audit, idempotency] = [noted('workspace.created'), null]
      const member = await storage.change({
        call: 'createMember',
        params: { publicId: 'usr_1', workspaceId, email: 'a@example.com', name: '', role: 'viewer', now },
        audit,
        idempotency,
        now,
      })
      const { id: memberId, publicId } = member.result!
      const promoted = await storage.change({
        call: 'updateMember',
        params: { workspaceId, publicId, changes: { role: 'owner' } },
        audit,
        idempotency,
        now,
      })
      expect(promoted.result).toMatchObject({ changed: true, member: { role: 'owner' } })
      const hash = Uint8Array.of(1)
      const key = await storage.change({
        call: 'createKey',
        params: {
          publicId: 'key_1',
          workspaceId,
          memberId,
          name: '',
          scopes: [],
          hash,
          expiresAt: null,
          now,
        },
        audit,
        idempotency,
        now,
      })
      expect(key.result).toMatchObject({ memberPublicId: publicId })
      const params = { workspaceId, publicId: 'key_1', now }
      const revoked = await storage.change({ call: 'revokeKey', params, audit, idempotency, now })
      expect(revoked.result).toBe(true)
      await storage.change({
        call: 'createSession',
        params: { publicId: 'ses_1', workspaceId, memberId, hash, expiresAt: now, now },
        audit,
        idempotency,
        now,
      })
      const of = { workspaceId, memberId, ofAddress: true, now }
      const signedOut = await storage.change({ call: 'deleteSessions', params: of, audit, idempotency, now })
      expect(signedOut.result).toBe(1)
      const person = { workspaceId, publicId, now }
      const left = await storage.change({ call: 'deleteMember', params: person, audit, idempotency, now })
      expect(left.result).toBe(true)
      const webhook = await w.webhook(workspace)
      const suspension = { workspaceId, suspended: true, now }
      const suspended = await storage.change({
        call: 'suspendWorkspace',
        params: suspension,
        audit,
        idempotency,
        now,
      })
      expect(suspended.result).toEqual([webhook.id])
      const at = { workspaceId, now }
      const deleted = await storage.change({ call: 'deleteWorkspace', params: at, audit, idempotency, now })
      expect(deleted.result).toEqual([webhook.id])
    })

    test('a webhook can be created, changed and deleted through changes', async () => {
      const w = world()
      const { storage, now } = w
      const workspace = await w.workspace()
      const { id: workspaceId } = workspace
      const nodeId = await w.node()
      const [audit, idempotency] = [noted('webhook.updated'), null]
      const made = await storage.change({
        call: 'createWebhook',
        params: {
          publicId: 'wh_1',
          workspaceId,
          url: 'https://receiver.example.com/',
          createdBy: { type: 'key', publicId: 'key_1' },
          sealedSecret: Uint8Array.of(1),
          maxWebhooks: 1,
          now,
        },
        audit,
        idempotency,
        now,
      })
      if (made.result.outcome !== 'created') throw new Error(made.result.outcome)
      const { id: webhookId } = made.result.webhook
      const event = await w.event(workspace)
      const test = { event, webhookId, limit: null, now }
      const sent = await storage.change({ call: 'sendTest', params: test, audit: null, idempotency, now })
      if (sent.result.outcome !== 'accepted') throw new Error(sent.result.outcome)
      const { deliveries } = await w.claim(nodeId)
      await w.record(nodeId, [w.success({ deliveryId: deliveries[0]!.id, webhookId }, { trigger: 'test' })])
      const again = {
        workspaceId,
        deliveryId: sent.result.delivery.id,
        trigger: 'redeliver',
        from: ['delivered'],
        limit: null,
        now,
      } as const
      const resent = await storage.change({ call: 'resend', params: again, audit: null, idempotency, now })
      expect(resent.result).toMatchObject({ outcome: 'accepted', delivery: { status: 'pending' } })
      const of = { workspaceId, webhookId, ifVersions: null, now }
      const rotation = { ...of, sealedSecret: Uint8Array.of(2), overlapMs: 0 }
      const rotated = await storage.change({
        call: 'rotateSecret',
        params: rotation,
        audit,
        idempotency,
        now,
      })
      expect(rotated.result).toMatchObject({ outcome: 'rotated' })
      const deleted = await storage.change({ call: 'deleteWebhook', params: of, audit, idempotency, now })
      expect(deleted.result).toEqual({ outcome: 'deleted' })
      expect(await actions(w)).toHaveLength(3)
    })

    test('a failed change leaves no entry, and those made with it keep theirs', async () => {
      const w = world()
      const { publicId } = await w.workspace()
      const settled = await Promise.allSettled([
        createWorkspace(w),
        createWorkspace(w, { publicId }),
        createWorkspace(w),
      ])
      expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect(await actions(w)).toEqual(['workspace.created', 'workspace.created'])
    })

    test('a failed entry undoes its change', async () => {
      const w = world()
      const { id: workspaceId } = await w.workspace()
      const audit = { ...noted('workspace.deleted'), details: [] as unknown as ToAudit['details'] }
      const params = { workspaceId, now: w.now }
      const change = w.storage.change({
        call: 'deleteWorkspace',
        params,
        audit,
        idempotency: null,
        now: w.now,
      })
      await expect(change).rejects.toThrow()
      expect(await w.storage.listWorkspaces({ limit: 1, before: null })).toMatchObject([{ id: workspaceId }])
    })

    test('effects of a failed change are invisible to those made with it', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      expect(await w.leased(nodeId, workspace)).toHaveLength(1)
      const { id: workspaceId, publicId } = workspace
      const events = await w.events(1, workspace)
      const settled = await Promise.allSettled([
        w.storage.change({
          call: 'suspendWorkspace',
          params: { workspaceId, suspended: true, now: w.now },
          audit: { ...noted('workspace.suspended'), details: [] as unknown as ToAudit['details'] },
          idempotency: null,
          now: w.now,
        }),
        createWorkspace(w, { publicId }),
        w.publish(nodeId, events),
      ])
      expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
      expect(await w.statuses(webhook)).toEqual(['pending', 'pending'])
    })
  })
}
