import { describe, expect, test } from 'vitest'
import { MAX_RECENT_OFFS, type Member, type Webhook, type Workspace } from '../../../src/storage/rows.ts'
import type { NotificationOutcome } from '../../../src/storage/storage.ts'
import type { Subject } from './subject.ts'
import { HOUR_MS, STRICT, type World } from './world.ts'

const CLAIM_MS = 60_000

interface Notified {
  readonly id: number
  readonly workspace: Workspace
  readonly member: Member
  readonly webhook: Webhook
}

/** A webhook of a member that is disabled, or warned about. */
async function notified(w: World, kind: 'off' | 'warning' = 'off'): Promise<Notified> {
  const workspace = await w.workspace()
  const member = await w.member(workspace)
  const webhook = await w.webhook(workspace, { createdBy: { type: 'member', publicId: member.publicId } })
  const nodeId = await w.node()
  const [first, second] = await w.leased(nodeId, workspace, 2)
  const results = kind === 'off' ? [w.gone(first!)] : [w.failure(second!)]
  if (kind === 'warning') {
    await w.record(nodeId, [w.failure(first!)], STRICT)
    w.now += STRICT.warnAfterMs!
  }
  const { notifications } = await w.record(nodeId, results, STRICT)
  return { id: notifications[0]!.id, workspace, member, webhook }
}

async function claim(w: World, name: string, limit = 10) {
  const params = { claim: name, claimMs: CLAIM_MS, now: w.now, limit }
  return (await w.storage.claimNotifications(params)).notifications
}

async function claimedIds(w: World, name: string, limit = 10): Promise<number[]> {
  return (await claim(w, name, limit)).map(({ id }) => id)
}

function settle(w: World, id: number, name: string, outcome: NotificationOutcome): Promise<boolean> {
  return w.storage.settleNotification({ id, claim: name, now: w.now, outcome })
}

export function notificationClaimSuite({ world }: Subject): void {
  describe('claims on notifications', () => {
    test('a claimed notification has its recipient and content', async () => {
      const w = world()
      const { id, workspace, member, webhook } = await notified(w)
      const { name, slug, dialect } = workspace
      expect(await claim(w, 'a')).toMatchObject([
        {
          id,
          webhookId: webhook.id,
          attempts: 1,
          toEmail: member.email,
          memberName: member.name,
          failingWarnings: true,
          workspace: { name, slug, dialect },
          webhookFailingSince: null,
          recentOffs: 0,
          sealed: null,
          expiresAt: null,
        },
      ])
    })

    test('a claimed notification has the number of such messages about the webhook in the hour before', async () => {
      const w = world()
      const { workspace, webhook } = await notified(w)
      await notified(w)
      const nodeId = await w.node()
      const offAgain = async (laterMs: number) => {
        w.now += laterMs
        await w.update(webhook, { status: 'on' })
        const leased = await w.leased(nodeId, workspace)
        const own = leased.find(({ webhookId }) => webhookId === webhook.id)!
        await w.record(nodeId, [w.gone(own)], STRICT)
      }
      await offAgain(HOUR_MS / 2)
      await offAgain(HOUR_MS / 2 + 1)
      const counts = (await claim(w, 'a')).map(({ webhookId, recentOffs }) => [
        webhookId === webhook.id,
        recentOffs,
      ])
      expect(counts).toEqual([
        [true, 0],
        [false, 0],
        [true, 1],
        [true, 1],
      ])
    })

    test('unsent messages do not count, so that a webhook that is disabled all the time is reported each hour', async () => {
      const w = world()
      const { id, workspace, webhook } = await notified(w)
      const nodeId = await w.node()
      const sent: number[] = []
      const tell = async () => {
        for (const one of await claim(w, 'a')) {
          if (one.recentOffs < MAX_RECENT_OFFS) sent.push(one.id)
          const skipped = { result: 'given_up', error: 'reported often enough' } as const
          const outcome = one.recentOffs < MAX_RECENT_OFFS ? ({ result: 'sent' } as const) : skipped
          await settle(w, one.id, 'a', outcome)
        }
      }
      await tell()
      for (let minute = 10; minute <= 90; minute += 10) {
        w.now += HOUR_MS / 6
        await w.update(webhook, { status: 'on' })
        const [ref] = await w.leased(nodeId, workspace)
        await w.record(nodeId, [w.gone(ref!)], STRICT)
        await tell()
      }
      // In the first minutes 0, 10 and 20, and an hour after each of them.
      expect(sent.map((one) => one - id)).toEqual([0, 1, 2, 6, 7, 8])
    })

    test('a claimed notification is not returned to others until the claim has expired', async () => {
      const w = world()
      const { id } = await notified(w)
      expect(await claimedIds(w, 'a')).toEqual([id])
      w.now += CLAIM_MS - 1
      expect(await claimedIds(w, 'b')).toEqual([])
      w.now += 1
      expect(await claimedIds(w, 'b')).toEqual([id])
    })

    test('concurrent calls share the available ones', async () => {
      const w = world()
      const ids = []
      for (let i = 0; i < 6; i++) ids.push((await notified(w)).id)
      const claims = await Promise.all(['a', 'b', 'c'].map((name) => claimedIds(w, name, 2)))
      const rest = await claimedIds(w, 'd')
      expect([...claims.flat(), ...rest].sort((x, y) => x - y)).toEqual(ids)
    })

    test('the one that waits longest comes first', async () => {
      const w = world()
      const ids: number[] = []
      for (let i = 0; i < 3; i++) {
        ids.push((await notified(w)).id)
        w.now += 1000
      }
      expect(await claimedIds(w, 'a', 2)).toEqual(ids.slice(0, 2))
      expect(await claimedIds(w, 'b', 2)).toEqual(ids.slice(2))
    })

    test('sign-in links come first, also when tried before, then other retries, then new ones', async () => {
      const w = world()
      const link = async () => {
        await w.storage.createSignInLink({
          madeBy: null,
          email: 'ana@example.com',
          hash: Buffer.from(w.name('hash_')),
          limit: null,
          notice: { toEmail: 'ana@example.com', sealed: Uint8Array.of(1) },
          expiresAt: w.now + HOUR_MS,
          now: w.now,
        })
        return (await w.storage.listNotifications({ limit: 1, before: null }))[0]!.id
      }
      const tried = [await link(), (await notified(w)).id]
      await claim(w, 'a')
      for (const id of tried)
        await settle(w, id, 'a', { result: 'again', dueAt: w.now + 1000, error: 'too busy' })
      const fresh: number[] = []
      for (let i = 0; i < 5; i++) fresh.push((await notified(w)).id)
      const freshLink = await link()
      // By a clock that is behind: new ones are still due. Its claim does not end within this test.
      const params = { claim: 'b', claimMs: w.now + HOUR_MS, now: 1, limit: 2 }
      const early = (await w.storage.claimNotifications(params)).notifications
      expect(early.map(({ id }) => id).sort((x, y) => x - y)).toEqual([fresh[0], freshLink])
      w.now += 1000
      expect(await claimedIds(w, 'c', 1)).toEqual([tried[0]])
      expect(await claimedIds(w, 'd', 1)).toEqual([tried[1]])
      expect(await claimedIds(w, 'e', 1)).toEqual([fresh[1]])
    })

    test('a sent or abandoned one is finished', async () => {
      const w = world()
      const sent = await notified(w)
      const refused = await notified(w)
      await claim(w, 'a')
      expect(await settle(w, sent.id, 'a', { result: 'sent' })).toBe(true)
      expect(await settle(w, refused.id, 'a', { result: 'given_up', error: 'no such mailbox' })).toBe(true)
      const at = w.now
      w.now += 10 * CLAIM_MS
      const params = { claim: 'b', claimMs: CLAIM_MS, now: w.now, limit: 10 }
      expect(await w.storage.claimNotifications(params)).toEqual({ notifications: [], waiting: 0 })
      expect(await w.storage.listNotifications({ limit: 10, before: null })).toMatchObject([
        { id: refused.id, sentAt: null, givenUpAt: at, lastError: 'no such mailbox' },
        { id: sent.id, sentAt: at, givenUpAt: null, lastError: null },
      ])
    })

    test('one to be retried waits until then', async () => {
      const w = world()
      const { id } = await notified(w)
      await claim(w, 'a')
      await settle(w, id, 'a', { result: 'again', dueAt: w.now + 1000, error: 'too busy' })
      expect(await claim(w, 'b')).toEqual([])
      w.now += 1000
      expect(await claim(w, 'b')).toMatchObject([{ id, attempts: 2, lastError: 'too busy' }])
    })

    test('a renewed claim continues', async () => {
      const w = world()
      const { id } = await notified(w)
      await claim(w, 'a')
      const renew = (name: string) =>
        w.storage.renewNotification({ id, claim: name, claimMs: CLAIM_MS, now: w.now })
      w.now += CLAIM_MS - 1
      expect(await renew('a')).toBe(true)
      w.now += CLAIM_MS - 1
      expect(await claim(w, 'b')).toEqual([])
      expect(await renew('b')).toBe(false)
      w.now += 1
      expect(await claim(w, 'b')).toMatchObject([{ id }])
      expect(await renew('a')).toBe(false)
      expect(await settle(w, id, 'b', { result: 'sent' })).toBe(true)
      expect(await renew('b')).toBe(false)
    })

    test('a caller that lost its claim changes nothing', async () => {
      const w = world()
      const { id } = await notified(w)
      await claim(w, 'a')
      w.now += CLAIM_MS
      await claim(w, 'b')
      expect(await settle(w, id, 'a', { result: 'sent' })).toBe(false)
      expect(await settle(w, id, 'a', { result: 'again', dueAt: w.now, error: 'late' })).toBe(false)
      expect(await settle(w, id, 'b', { result: 'sent' })).toBe(true)
      expect(await settle(w, id, 'b', { result: 'given_up', error: 'twice' })).toBe(false)
    })

    test('an expired claim still counts until another has taken over', async () => {
      const w = world()
      const { id } = await notified(w)
      await claim(w, 'a')
      w.now += 10 * CLAIM_MS
      expect(await settle(w, id, 'a', { result: 'sent' })).toBe(true)
      expect(await claim(w, 'b')).toEqual([])
    })

    test('waiting ones are counted, claimed or not', async () => {
      const w = world()
      await notified(w)
      await notified(w)
      const params = { claimMs: CLAIM_MS, now: w.now, limit: 1 }
      expect(await w.storage.claimNotifications({ ...params, claim: 'a' })).toMatchObject({ waiting: 2 })
      expect(await w.storage.claimNotifications({ ...params, claim: 'b' })).toMatchObject({ waiting: 2 })
    })

    test('a warning says since when the webhook has been failing now', async () => {
      const w = world()
      const began = w.now
      await notified(w, 'warning')
      expect(await claim(w, 'a')).toMatchObject([
        { kind: 'webhook_failing', webhookFailingSince: began, data: { failing_since: began } },
      ])
    })

    test.each(['recovered', 'disabled', 'deleted'] as const)(
      'a warning finds that the webhook was %s in the meantime',
      async (how) => {
        const w = world()
        const { webhook, workspace } = await notified(w, 'warning')
        if (how === 'disabled') await w.update(webhook, { status: 'off' })
        else if (how === 'deleted') await w.remove(webhook)
        else {
          const nodeId = await w.node()
          const [ref] = await w.leased(nodeId, workspace)
          await w.record(nodeId, [w.success(ref!)], STRICT)
        }
        expect(await claim(w, 'a')).toMatchObject([{ webhookFailingSince: null }])
      },
    )

    test('recipients and their settings are those at the time of the claim', async () => {
      const w = world()
      const { workspace, member } = await notified(w)
      const { publicId } = member
      const { id: workspaceId } = workspace
      await w.storage.updateMember({ workspaceId, publicId, changes: { name: 'Another Name' } })
      const changes = { failingWarnings: false }
      const update = () => w.storage.updatePreferences({ workspaceId, publicId, changes })
      expect(await update()).toMatchObject({ changed: true, member: { failingWarnings: false } })
      expect(await update()).toMatchObject({ changed: false })
      expect(await claim(w, 'a')).toMatchObject([{ failingWarnings: false, memberName: 'Another Name' }])
    })

    test.each(['the member', 'the workspace'])('there is no recipient once %s is gone', async (gone) => {
      const w = world()
      const { workspace, member } = await notified(w)
      const workspaceId = workspace.id
      if (gone === 'the workspace') await w.storage.deleteWorkspace({ workspaceId, now: w.now })
      else await w.storage.deleteMember({ workspaceId, publicId: member.publicId, now: w.now })
      expect(await claim(w, 'a')).toMatchObject([{ toEmail: null }])
    })
  })
}
