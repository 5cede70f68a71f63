import { describe, expect, test } from 'vitest'
import type { Subject } from './subject.ts'
import { alerts, attempt, fail, listening, mail, ROW_ALONE, SHARE_ALONE } from './warningTools.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from './world.ts'

export function earlyWarningSuite({ world }: Subject): void {
  describe('early warnings', () => {
    test('come with the first failure after enough in a row, ten minutes after the first', async () => {
      const w = world()
      const workspace = await w.workspace()
      await listening(w, workspace.id)
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const began = w.now
      await fail(w, nodeId, workspace, 7)
      w.now += 10 * MINUTE_MS - 1
      await fail(w, nodeId, workspace, 1)
      expect((await w.reread(webhook)).alertedAt).toBeNull()
      w.now += 1
      await fail(w, nodeId, workspace, 2)
      expect((await w.reread(webhook)).alertedAt).toBe(w.now)
      expect(await alerts(w)).toMatchObject([
        {
          type: 'webhook.failing',
          workspace: { publicId: workspace.publicId },
          webhook: { publicId: webhook.publicId, url: webhook.url },
          data: { reason: 'consecutive_failures', since: began, failures_in_a_row: 5 },
        },
      ])
    })

    test('need this many failures in a row, however long it has been', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      await fail(w, nodeId, workspace, 4, ROW_ALONE)
      w.now += HOUR_MS
      await attempt(w, nodeId, workspace, 'success', ROW_ALONE)
      await fail(w, nodeId, workspace, 4, ROW_ALONE)
      w.now += HOUR_MS
      expect((await w.reread(webhook)).alertedAt).toBeNull()
      await fail(w, nodeId, workspace, 1, ROW_ALONE)
      expect((await w.reread(webhook)).alertedAt).toBe(w.now)
    })

    test('tests and time in which no node could send do not count', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      await fail(w, nodeId, workspace, 4, ROW_ALONE)
      w.now += HOUR_MS
      await attempt(w, nodeId, workspace, 'failure', ROW_ALONE, { signal: 'none' })
      expect((await w.reread(webhook)).alertedAt).toBeNull()
      const [ref] = await w.leased(nodeId, workspace)
      // The clock leapt a minute ago.
      await w.record(nodeId, [w.failure(ref!)], ROW_ALONE, w.now - MINUTE_MS)
      expect((await w.reread(webhook)).alertedAt).toBeNull()
    })

    test('end with the first success, which is reported once', async () => {
      const w = world()
      const workspace = await w.workspace()
      await listening(w, workspace.id)
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const began = w.now
      await fail(w, nodeId, workspace, 5)
      w.now += HOUR_MS
      await fail(w, nodeId, workspace, 1)
      w.now += HOUR_MS
      await attempt(w, nodeId, workspace, 'success')
      await attempt(w, nodeId, workspace, 'success')
      expect((await w.reread(webhook)).alertedAt).toBeNull()
      expect((await alerts(w)).map(({ type, data }) => [type, data.since])).toEqual([
        ['webhook.failing', began],
        ['webhook.recovered', began],
      ])
      // Failures before the recovery do not make the next failure a reason to warn.
      await fail(w, nodeId, workspace, 1)
      w.now += 11 * MINUTE_MS
      await fail(w, nodeId, workspace, 1)
      expect((await w.reread(webhook)).alertedAt).toBeNull()
    })

    test('come when half of the deliveries of an hour failed, among successes', async () => {
      const w = world()
      const workspace = await w.workspace()
      await listening(w, workspace.id)
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const began = w.now
      for (let i = 0; i < 6; i++) {
        await attempt(w, nodeId, workspace, 'failure', SHARE_ALONE)
        await attempt(w, nodeId, workspace, 'success', SHARE_ALONE)
        w.now += MINUTE_MS
      }
      expect((await w.reread(webhook)).alertedAt).toBeNull()
      w.now += 10 * MINUTE_MS
      await attempt(w, nodeId, workspace, 'failure', SHARE_ALONE)
      expect((await w.reread(webhook)).alertedAt).toBe(w.now)
      expect((await alerts(w))[0]).toMatchObject({
        type: 'webhook.failing',
        data: { reason: 'failure_share', since: began, deliveries: { attempted: 13, failed: 7 } },
      })
      // One success among failures is no recovery; enough of them are.
      await attempt(w, nodeId, workspace, 'success', SHARE_ALONE)
      expect((await w.reread(webhook)).alertedAt).not.toBeNull()
      for (let i = 0; i < 4; i++) {
        w.now += MINUTE_MS
        await attempt(w, nodeId, workspace, 'success', SHARE_ALONE)
      }
      expect((await w.reread(webhook)).alertedAt).toBeNull()
      expect((await alerts(w)).map(({ type }) => type)).toEqual(['webhook.failing', 'webhook.recovered'])
    })

    test('a share of few deliveries does not count', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      await fail(w, nodeId, workspace, 8, SHARE_ALONE)
      w.now += 30 * MINUTE_MS
      await fail(w, nodeId, workspace, 1, SHARE_ALONE)
      expect((await w.reread(webhook)).alertedAt).toBeNull()
    })

    test("an owner's own rule replaces the service's, and a snooze mutes both", async () => {
      const w = world()
      const workspace = await w.workspace()
      const warn = { failures: 2, share: null, deliveries: 1, afterMs: HOUR_MS }
      const own = await w.webhook(workspace, { warn })
      const nodeId = await w.node()
      expect((await w.reread(own)).warn).toEqual(warn)
      await fail(w, nodeId, workspace, 6)
      w.now += 30 * MINUTE_MS
      await fail(w, nodeId, workspace, 1)
      expect((await w.reread(own)).alertedAt).toBeNull()
      await w.update(own, { snoozedUntil: w.now + HOUR_MS })
      w.now += 45 * MINUTE_MS
      await fail(w, nodeId, workspace, 1)
      expect((await w.reread(own)).alertedAt).toBeNull()
      w.now += 15 * MINUTE_MS
      await fail(w, nodeId, workspace, 1)
      expect((await w.reread(own)).alertedAt).toBe(w.now)
    })

    test('enabling a webhook again clears its past failures', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      await fail(w, nodeId, workspace, 5)
      w.now += HOUR_MS
      await fail(w, nodeId, workspace, 1)
      await w.update(webhook, { status: 'off' })
      await w.update(webhook, { status: 'on' })
      expect((await w.reread(webhook)).alertedAt).toBeNull()
      await attempt(w, nodeId, workspace, 'success')
      expect(await mail(w)).toEqual([])
    })
  })

  describe('e-mails of early warnings', () => {
    test('go to all owners who want them: one for many webhooks, and no more within ten minutes', async () => {
      const w = world()
      const workspace = await w.workspace()
      const owner = await w.member(workspace)
      const second = await w.member(workspace)
      const quiet = await w.member(workspace)
      await w.member(workspace, undefined, 'editor')
      await w.storage.updatePreferences({
        workspaceId: workspace.id,
        publicId: quiet.publicId,
        changes: { failingWarnings: false },
      })
      for (let i = 0; i < 30; i++) await w.webhook(workspace)
      const nodeId = await w.node()
      await fail(w, nodeId, workspace, 5)
      w.now += HOUR_MS
      await fail(w, nodeId, workspace, 1)
      const first = await mail(w)
      expect(first.map(({ memberId }) => memberId).sort()).toEqual([owner.id, second.id].sort())
      expect(first[0]!.data).toMatchObject({ failing: 30, recovered: 0 })
      expect(first[0]!.data.webhooks).toHaveLength(10)
      w.now += MINUTE_MS
      await attempt(w, nodeId, workspace, 'success')
      expect(await mail(w)).toHaveLength(2)
      w.now += 9 * MINUTE_MS
      const later = await mail(w)
      expect(later).toHaveLength(4)
      expect(later[0]!.data).toMatchObject({ failing: 0, recovered: 30 })
    })

    test('are delayed after some within a day', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.member(workspace)
      await w.webhook(workspace)
      const nodeId = await w.node()
      for (let i = 0; i < DAY_MS / HOUR_MS; i++) {
        await fail(w, nodeId, workspace, 5, ROW_ALONE)
        w.now += 10 * MINUTE_MS
        await fail(w, nodeId, workspace, 1, ROW_ALONE)
        await mail(w)
        w.now += 10 * MINUTE_MS
        await attempt(w, nodeId, workspace, 'success', ROW_ALONE)
        await mail(w)
      }
      expect((await mail(w)).length).toBeLessThanOrEqual(6 + 8)
    })

    test('omit a webhook that recovered, or is snoozed, before they are sent', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.member(workspace)
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      await fail(w, nodeId, workspace, 5)
      w.now += HOUR_MS
      await fail(w, nodeId, workspace, 1)
      await attempt(w, nodeId, workspace, 'success')
      expect(await mail(w)).toEqual([])
      await fail(w, nodeId, workspace, 5)
      w.now += HOUR_MS
      await fail(w, nodeId, workspace, 1)
      await w.update(webhook, { snoozedUntil: w.now + 1 })
      expect(await mail(w)).toEqual([])
    })
  })
}
