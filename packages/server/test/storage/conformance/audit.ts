import { describe, expect, test } from 'vitest'
import type { AuditEntry } from '../../../src/storage/auditRows.ts'
import type { ToAudit } from '../../../src/storage/storage.ts'
import type { Subject } from './subject.ts'
import { DAY_MS, STRICT, type World } from './world.ts'

const OPERATOR = { type: 'operator', id: null, sessionId: null } as const

function toAudit(workspacePublicId: string, changes: Partial<ToAudit> = {}): ToAudit {
  return {
    action: 'workspace.created',
    actor: OPERATOR,
    workspacePublicId,
    target: { type: 'workspace', id: workspacePublicId },
    details: {},
    requestId: 'req_1',
    ...changes,
  }
}

/** Creates a workspace, with an entry about it. */
async function audited(w: World, changes: Partial<ToAudit> = {}): Promise<string> {
  const publicId = w.name('ws_')
  const params = { publicId, dialect: 'content', slug: publicId, name: 'A workspace', now: w.now }
  const audit = toAudit(publicId, changes)
  await w.storage.change({ call: 'createWorkspace', params, audit, idempotency: null, now: w.now })
  return publicId
}

async function list(
  w: World,
  filter: { workspacePublicId?: string; targetId?: string; limit?: number; before?: number } = {},
): Promise<readonly AuditEntry[]> {
  const all = { workspacePublicId: null, targetId: null, limit: 100, before: null }
  return w.storage.listAudit({ ...all, ...filter })
}

export function auditSuite({ world }: Subject): void {
  describe('the audit log', () => {
    test('an entry says who did what to what, when and in which request', async () => {
      const w = world()
      const publicId = await audited(w, {
        actor: { type: 'member', id: 'usr_1', sessionId: 'ses_1' },
        target: { type: 'webhook', id: 'wh_1' },
        action: 'webhook.updated',
        details: { changed: ['url', 'description'], name: 'Ünïcode \u0000 "quoted"' },
        requestId: 'req_9',
      })
      expect(await list(w)).toEqual([
        {
          id: expect.any(Number),
          at: w.now,
          action: 'webhook.updated',
          actor: { type: 'member', id: 'usr_1', sessionId: 'ses_1' },
          workspacePublicId: publicId,
          target: { type: 'webhook', id: 'wh_1' },
          details: { changed: ['url', 'description'], name: 'Ünïcode \u0000 "quoted"' },
          requestId: 'req_9',
        },
      ])
    })

    test('entries are listed newest first, in pages that stay the same while more are added', async () => {
      const w = world()
      const made: string[] = []
      for (let i = 0; i < 5; i++) made.push(await audited(w))
      const first = await list(w, { limit: 3 })
      await audited(w)
      const second = await list(w, { limit: 3, before: first.at(-1)!.id })
      expect([...first, ...second].map(({ target }) => target.id)).toEqual(made.reverse())
    })

    test('entries are found by their workspace, by their target, and by both', async () => {
      const w = world()
      const about = (id: string) => ({ target: { type: 'webhook' as const, id } })
      const one = await audited(w, about('wh_a'))
      const two = await audited(w, about('wh_a'))
      await audited(w, about('wh_b'))
      const workspaces = async (filter: { workspacePublicId?: string; targetId?: string }) =>
        (await list(w, filter)).map(({ workspacePublicId }) => workspacePublicId)
      expect(await workspaces({ workspacePublicId: one })).toEqual([one])
      expect(await workspaces({ targetId: 'wh_a' })).toEqual([two, one])
      expect(await workspaces({ targetId: 'wh_a', workspacePublicId: one })).toEqual([one])
      expect(await workspaces({ targetId: 'wh_b', workspacePublicId: one })).toEqual([])
      expect(await workspaces({ targetId: 'wh_c' })).toEqual([])
    })

    test('a filtered list continues where its page ended', async () => {
      const w = world()
      const target = { type: 'webhook' as const, id: 'wh_a' }
      const made: string[] = []
      for (let i = 0; i < 3; i++) {
        made.push(await audited(w, { target }))
        await audited(w)
      }
      const first = await list(w, { targetId: 'wh_a', limit: 2 })
      const rest = await list(w, { targetId: 'wh_a', limit: 2, before: first.at(-1)!.id })
      expect([...first, ...rest].map((entry) => entry.workspacePublicId)).toEqual(made.reverse())
    })

    test.each([
      { reason: 'gone', record: (w: World, of: Ref) => w.gone(of) },
      { reason: 'failing', record: (w: World, of: Ref) => w.failure(of) },
    ])('a webhook disabled by rules is in it, with the reason: $reason', async ({ reason, record }) => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const [early, late] = await w.leased(nodeId, workspace, 2)
      await w.record(nodeId, [w.failure(early!)], STRICT)
      expect(await list(w)).toEqual([])
      w.now += DAY_MS
      const recorded = await w.record(nodeId, [record(w, late!)], STRICT)
      expect(recorded.disabled).toMatchObject([{ reason }])
      expect(await list(w, { targetId: webhook.publicId })).toEqual([
        {
          id: expect.any(Number),
          at: w.now,
          action: 'webhook.switched_off',
          actor: { type: 'system', id: null, sessionId: null },
          workspacePublicId: workspace.publicId,
          target: { type: 'webhook', id: webhook.publicId },
          details: { reason },
          requestId: null,
        },
      ])
    })

    test('names are added for the ids in entries', async () => {
      const w = world()
      const workspace = await w.workspace()
      const member = await w.member(workspace)
      const gone = await w.member(workspace)
      const rest = [await w.key(workspace), await w.operator()]
      const described = await w.webhook(workspace, { description: 'Billing' })
      const plain = await w.webhook(workspace, { description: '', url: 'https://example.com/plain' })
      await w.storage.deleteMember({ workspaceId: workspace.id, publicId: gone.publicId, now: w.now })
      const named = async (publicIds: readonly string[]) =>
        Object.fromEntries(
          (await w.storage.namesOf({ publicIds })).map(({ publicId, name, webhook }) => [
            publicId,
            webhook === null ? name : { name, webhook },
          ]),
        )
      const all = [workspace, member, gone, ...rest, described, plain].map(({ publicId }) => publicId)
      expect(await named([...all, 'wh_none', "'; --"])).toEqual({
        [workspace.publicId]: 'A workspace',
        [member.publicId]: 'A member',
        [rest[0]!.publicId]: 'A key',
        [rest[1]!.publicId]: 'An operator',
        [described.publicId]: {
          name: 'Billing',
          webhook: { url: described.url, createdBy: described.createdBy },
        },
        [plain.publicId]: {
          name: '',
          webhook: { url: 'https://example.com/plain', createdBy: plain.createdBy },
        },
      })
      expect(await named([member.publicId])).toEqual({ [member.publicId]: 'A member' })
      expect(await named([])).toEqual({})
    })

    test('late results of a disabled webhook add nothing', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const [first, second, third] = await w.leased(nodeId, workspace, 3)
      await w.record(nodeId, [w.gone(first!), w.gone(second!)], STRICT)
      await w.record(nodeId, [w.gone(third!)], STRICT)
      expect(await list(w)).toHaveLength(1)
    })

    test('entries outlive their workspace and are deleted at their own age', async () => {
      const w = world()
      const old = await audited(w)
      const { id: workspaceId } = (await w.storage.getWorkspace({ ref: old, dialects: null }))!
      await w.storage.deleteWorkspace({ workspaceId, now: w.now })
      w.now += DAY_MS
      const recent = await audited(w)
      const left = async () => (await list(w)).map(({ workspacePublicId }) => workspacePublicId)
      await w.untilDone(() => w.expire(w.now, { auditBefore: w.now - DAY_MS }))
      expect(await left()).toEqual([recent, old])
      await w.untilDone(() => w.expire(0, { auditBefore: w.now }))
      expect(await left()).toEqual([recent])
    })
  })
}

type Ref = Parameters<World['gone']>[0]
