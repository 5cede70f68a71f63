import { describe, expect, test } from 'vitest'
import type { Workspace } from '../../../src/storage/rows.ts'
import {
  type ChangeParams,
  IdempotencyKeyReusedError,
  type IdempotencyRecord,
} from '../../../src/storage/storage.ts'
import { noted } from './noted.ts'
import type { Subject } from './subject.ts'
import { DAY_MS, HOUR_MS, World } from './world.ts'

export function idempotencyOf(w: World, changes: Partial<IdempotencyRecord> = {}): IdempotencyRecord {
  return {
    scope: 'key_1',
    key: 'a',
    fingerprint: Uint8Array.of(1, 2, 3),
    responseData: null,
    responseDataUntil: null,
    since: w.now - DAY_MS,
    ...changes,
  }
}

/** Creates a member with a unique name, unless it repeats a call. */
function createMember(
  w: World,
  { id: workspaceId }: Workspace,
  idempotency: Partial<IdempotencyRecord> = {},
  changes: Partial<ChangeParams<'createMember'>> = {},
) {
  const publicId = w.name('usr_')
  const email = `${publicId}@example.com`
  return w.storage.change({
    call: 'createMember',
    params: { publicId, workspaceId, email, name: '', role: 'viewer', now: w.now, ...changes },
    audit: {
      action: 'member.created',
      actor: { type: 'key', id: 'key_1', sessionId: null },
      workspacePublicId: 'ws_1',
      target: { type: 'member', id: publicId },
      details: {},
      requestId: 'req_1',
    },
    idempotency: idempotencyOf(w, idempotency),
    now: w.now,
  })
}

async function members(w: World, { id: workspaceId }: Workspace): Promise<number> {
  return (await w.storage.listMembers({ workspaceId, limit: 1000, before: null })).length
}

async function entries(w: World): Promise<number> {
  const all = { workspacePublicId: null, targetId: null, limit: 1000, before: null }
  return (await w.storage.listAudit(all)).length
}

export function idempotencySuite({ world, opened }: Subject): void {
  describe('idempotency keys', () => {
    test('a repeat gets the result and response data of the first call, and changes nothing', async () => {
      const w = world()
      const workspace = await w.workspace()
      const responseData = Uint8Array.of(0, 255, 7)
      const first = await createMember(w, workspace, { responseData })
      expect(first).toMatchObject({ repeated: false, responseData, result: { workspaceId: workspace.id } })
      w.now += HOUR_MS
      const again = await createMember(w, workspace, { responseData: Uint8Array.of(9) })
      expect(again).toEqual({ result: first.result, repeated: true, responseData })
      expect([await members(w, workspace), await entries(w)]).toEqual([1, 1])
    })

    test('response data with an expiry is returned until then, and the result beyond', async () => {
      const w = world()
      const workspace = await w.workspace()
      const idempotency = { responseData: Uint8Array.of(1), responseDataUntil: w.now + HOUR_MS }
      const first = await createMember(w, workspace, idempotency)
      w.now += HOUR_MS - 1
      expect(await createMember(w, workspace, idempotency)).toEqual({ ...first, repeated: true })
      w.now += 1
      expect(await createMember(w, workspace, idempotency)).toEqual({
        ...first,
        repeated: true,
        responseData: null,
      })
    })

    test('retention deletes exactly the expired response data', async () => {
      const w = world()
      const workspace = await w.workspace()
      const responseData = Uint8Array.of(1)
      const ending = { responseData, responseDataUntil: w.now + HOUR_MS }
      const first = await createMember(w, workspace, ending)
      const lasting = await createMember(w, workspace, { key: 'b', responseData })
      const later = { key: 'c', responseData, responseDataUntil: w.now + HOUR_MS + 1 }
      const third = await createMember(w, workspace, later)
      const start = w.now
      w.now += HOUR_MS
      await w.untilDone(() => w.expire(0, { idempotencyBefore: 0 }))
      // Before its expiry once more, so that missing data was deleted.
      w.now = start
      expect(await createMember(w, workspace, ending)).toEqual({
        ...first,
        repeated: true,
        responseData: null,
      })
      expect(await createMember(w, workspace, { key: 'b' })).toEqual({ ...lasting, repeated: true })
      expect(await createMember(w, workspace, later)).toEqual({ ...third, repeated: true })
    })

    test('a repeat gets the first answer, even if the created resource is gone now', async () => {
      const w = world()
      const workspace = await w.workspace()
      const first = await createMember(w, workspace)
      await w.storage.deleteMember({
        workspaceId: workspace.id,
        publicId: first.result!.publicId,
        now: w.now,
      })
      expect(await createMember(w, workspace)).toEqual({ ...first, repeated: true })
      expect(await members(w, workspace)).toBe(0)
    })

    test('of concurrent calls with one key, one is executed and all get its result', async () => {
      const w = world()
      const workspace = await w.workspace()
      const calls = await Promise.all(Array.from({ length: 8 }, () => createMember(w, workspace)))
      expect(calls.filter(({ repeated }) => !repeated)).toHaveLength(1)
      const made = calls.find(({ repeated }) => !repeated)!.result
      for (const { result } of calls) expect(result).toEqual(made)
      expect([await members(w, workspace), await entries(w)]).toEqual([1, 1])
    })

    test('another request with the same key is rejected as such and changes nothing', async () => {
      const w = world()
      const workspace = await w.workspace()
      const first = await createMember(w, workspace)
      for (const fingerprint of [Uint8Array.of(1, 2, 4), Uint8Array.of(1, 2), new Uint8Array(0)]) {
        const other = createMember(w, workspace, { fingerprint })
        await expect(other).rejects.toBeInstanceOf(IdempotencyKeyReusedError)
      }
      expect([await members(w, workspace), await entries(w)]).toEqual([1, 1])
      expect(await createMember(w, workspace)).toEqual({ ...first, repeated: true })
    })

    test('a call of another kind with the same key is rejected, whatever its fingerprint', async () => {
      const w = world()
      const workspace = await w.workspace()
      await createMember(w, workspace)
      const params = { workspaceId: workspace.id, now: w.now }
      const idempotency = idempotencyOf(w)
      const change = w.storage.change({
        call: 'deleteWorkspace',
        params,
        audit: noted('workspace.deleted'),
        idempotency,
        now: w.now,
      })
      await expect(change).rejects.toBeInstanceOf(IdempotencyKeyReusedError)
      expect(await members(w, workspace)).toBe(1)
    })

    test('a call rejected for its key does not affect those made with it', async () => {
      const w = world()
      const workspace = await w.workspace()
      await createMember(w, workspace)
      const settled = await Promise.allSettled([
        createMember(w, workspace, { key: 'b' }),
        createMember(w, workspace, { fingerprint: Uint8Array.of(9) }),
        createMember(w, workspace, { key: 'c' }),
        createMember(w, workspace),
      ])
      expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
      expect([await members(w, workspace), await entries(w)]).toEqual([3, 3])
    })

    test('keys of different callers are independent', async () => {
      const w = world()
      const workspace = await w.workspace()
      const [one, other] = [{ scope: 'key_1' }, { scope: 'key_2', fingerprint: Uint8Array.of(9) }]
      await createMember(w, workspace, one)
      expect(await createMember(w, workspace, other)).toMatchObject({ repeated: false })
      expect(await members(w, workspace)).toBe(2)
    })

    test('an error is not remembered: a repeat is executed', async () => {
      const w = world()
      const workspace = await w.workspace()
      const { email, publicId } = await w.member(workspace)
      const create = () => createMember(w, workspace, {}, { email })
      expect(await create()).toEqual({ result: null, repeated: false, responseData: null })
      await w.storage.deleteMember({ workspaceId: workspace.id, publicId, now: w.now })
      expect(await create()).toMatchObject({ result: { email }, repeated: false })
    })

    test('a failed call is not remembered', async () => {
      const w = world()
      const workspace = await w.workspace()
      const { publicId } = await w.member(workspace)
      await expect(createMember(w, workspace, {}, { publicId })).rejects.toThrow()
      expect(await createMember(w, workspace)).toMatchObject({ repeated: false })
    })

    test('an update without effect is still remembered', async () => {
      const w = world()
      const { id: webhookId, workspaceId, description } = await w.webhook(await w.workspace())
      const update = () => {
        const params = { workspaceId, webhookId, ifVersions: null, changes: { description }, now: w.now }
        const idempotency = idempotencyOf(w)
        return w.storage.change({
          call: 'updateWebhook',
          params,
          audit: noted('webhook.updated'),
          idempotency,
          now: w.now,
        })
      }
      const first = await update()
      expect(first).toMatchObject({ repeated: false, result: { changed: false } })
      const changes = { description: 'changed meanwhile' }
      await w.storage.updateWebhook({ workspaceId, webhookId, ifVersions: null, changes, now: w.now })
      expect(await update()).toEqual({ ...first, repeated: true })
    })

    test('a key is valid exactly as long as the caller says', async () => {
      const w = world()
      const workspace = await w.workspace()
      const start = w.now
      const first = await createMember(w, workspace)
      w.now = start + DAY_MS
      expect(await createMember(w, workspace)).toEqual({ ...first, repeated: true })
      w.now = start + DAY_MS + 1
      const fingerprint = Uint8Array.of(9)
      const second = await createMember(w, workspace, { fingerprint })
      expect(second.repeated).toBe(false)
      expect(second.result).not.toEqual(first.result)
      // From now on the key is that of the second call.
      w.now = start + DAY_MS + HOUR_MS
      expect(await createMember(w, workspace, { fingerprint })).toEqual({ ...second, repeated: true })
      await expect(createMember(w, workspace)).rejects.toBeInstanceOf(IdempotencyKeyReusedError)
    })

    test('a key stays valid when the clock is set back', async () => {
      const w = world()
      const workspace = await w.workspace()
      const first = await createMember(w, workspace)
      w.now -= 2 * DAY_MS
      expect(await createMember(w, workspace)).toEqual({ ...first, repeated: true })
    })

    test('retention deletes keys at their own age', async () => {
      const w = world()
      const workspace = await w.workspace()
      await createMember(w, workspace)
      w.now += HOUR_MS
      await createMember(w, workspace, { key: 'b' })
      await w.untilDone(() => w.expire(0, { idempotencyBefore: w.now }))
      expect(await createMember(w, workspace)).toMatchObject({ repeated: false })
      expect(await createMember(w, workspace, { key: 'b' })).toMatchObject({ repeated: true })
    })

    test('a repeat after a restart gets the earlier answer', async () => {
      const w = world()
      const workspace = await w.workspace()
      const responseData = Uint8Array.of(5)
      const first = await createMember(w, workspace, { responseData })
      const after = new World(await opened().reopen())
      after.now = w.now
      expect(await createMember(after, workspace, { responseData })).toEqual({ ...first, repeated: true })
      expect(await members(after, workspace)).toBe(1)
    })
  })
}
