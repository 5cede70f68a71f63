import { describe, expect, test } from 'vitest'
import type { Webhook, Workspace } from '../../../src/storage/rows.ts'
import type { Subject } from './subject.ts'
import { DAY_MS, HOUR_MS, STRICT, type World } from './world.ts'

/** Makes the webhook fail until it is disabled. @returns the resulting notifications. */
async function disableWebhook(w: World, workspace: Workspace) {
  const nodeId = await w.node()
  const [ref] = await w.leased(nodeId, workspace)
  return (await w.record(nodeId, [w.gone(ref!)], STRICT)).notifications
}

export function notificationSuite({ world }: Subject): void {
  describe('notifications', () => {
    test('a disabled webhook leaves a notification with the data for its owner', async () => {
      const w = world()
      const workspace = await w.workspace()
      const member = await w.member(workspace)
      const createdBy = { type: 'member' as const, publicId: member.publicId }
      const webhook = await w.webhook(workspace, { createdBy })
      const began = w.now
      const notifications = await disableWebhook(w, workspace)
      expect(notifications).toEqual([
        {
          id: expect.any(Number),
          messageKey: expect.stringMatching(/^[0-9a-f]{32}$/),
          kind: 'webhook_off',
          workspaceId: workspace.id,
          webhookId: webhook.id,
          memberId: member.id,
          createdAt: w.now,
          attempts: 0,
          lastError: null,
          sentAt: null,
          givenUpAt: null,
          data: {
            webhook_public_id: webhook.publicId,
            url: webhook.url,
            description: webhook.description,
            reason: 'gone',
            failing_since: began,
            last_errors: [
              {
                at: began,
                error_code: 'http_status',
                error_message: 'The receiver answered 500.',
                status_code: 410,
              },
            ],
          },
        },
      ])
      expect(await w.storage.listNotifications({ limit: 10, before: null })).toEqual(notifications)
    })

    test('the newest three errors are shown, newest first', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const refs = await w.leased(nodeId, workspace, 4)
      const failed = (i: number) => {
        const attempt = { statusCode: 500 + i, startedAt: w.now + i * 1000 }
        return i === 3 ? w.gone(refs[i]!, attempt) : w.failure(refs[i]!, { attempt })
      }
      await w.record(nodeId, [failed(0)], STRICT)
      await w.record(nodeId, [failed(1)], STRICT)
      const { notifications } = await w.record(nodeId, [failed(2), failed(3)], STRICT)
      const errors = notifications[0]!.data.last_errors as { status_code: number; at: number }[]
      expect(errors.map(({ status_code, at }) => [status_code, at - w.now])).toEqual([
        [503, 3000],
        [502, 2000],
        [501, 1000],
      ])
    })

    test('errors of the newest deliveries are shown, however many are older', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const fail = async () => {
        const [ref] = await w.leased(nodeId, workspace)
        await w.record(nodeId, [w.failure(ref!, { attempt: { startedAt: w.now } })])
        w.now += 1000
      }
      await fail()
      await w.waiting(nodeId, workspace, 200)
      w.now += 1000
      const since = w.now
      await fail()
      await fail()
      const [last] = await w.leased(nodeId, workspace)
      const { notifications } = await w.record(nodeId, [w.gone(last!)], STRICT)
      const errors = notifications[0]!.data.last_errors as { at: number }[]
      expect(errors.map(({ at }) => at - since)).toEqual([2000, 1000, 0])
    })

    test('for a delivery with many attempts only the newest are read', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const [ref] = await w.leased(nodeId, workspace)
      const began = w.now
      // By a clock that was ahead, so that it would look like the newest.
      await w.record(nodeId, [w.failure(ref!, { attempt: { startedAt: began + DAY_MS } })])
      for (let number = 2; number <= 4; number++) {
        w.now += 60_000
        await w.claim(nodeId)
        await w.record(nodeId, [w.failure(ref!, { attempt: { number, startedAt: w.now } })])
      }
      w.now += 60_000
      await w.claim(nodeId)
      const last = w.gone(ref!, { number: 5, startedAt: w.now })
      const { notifications } = await w.record(nodeId, [last], STRICT)
      const errors = notifications[0]!.data.last_errors as { at: number }[]
      expect(errors.map(({ at }) => (at - began) / 60_000)).toEqual([4, 3, 2])
    })

    test('a warning is sent once in a spell of failing', async () => {
      const w = world()
      const workspace = await w.workspace()
      const webhook = await w.webhook(workspace)
      const nodeId = await w.node()
      const kinds: string[][] = []
      const fail = async () => {
        const [ref] = await w.leased(nodeId, workspace)
        const { notifications } = await w.record(nodeId, [w.failure(ref!)], STRICT)
        kinds.push(notifications.map(({ kind }) => kind))
      }
      await fail()
      for (let i = 0; i < 3; i++) {
        w.now += 6 * HOUR_MS
        await fail()
      }
      expect(kinds).toEqual([[], [], ['webhook_failing'], []])
      expect(await w.reread(webhook)).toMatchObject({ status: 'on', version: webhook.version })
      w.now += 6 * HOUR_MS
      await fail()
      expect(kinds.at(-1)).toEqual(['webhook_off'])
    })

    test('a new spell of failing has a new warning', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      let warnings = 0
      for (let spell = 0; spell < 2; spell++) {
        const [first, later, ok] = await w.leased(nodeId, workspace, 3)
        await w.record(nodeId, [w.failure(first!)], STRICT)
        w.now += 13 * HOUR_MS
        warnings += (await w.record(nodeId, [w.failure(later!)], STRICT)).notifications.length
        await w.record(nodeId, [w.success(ok!)], STRICT)
      }
      expect(warnings).toBe(2)
    })

    test('a webhook that received again within the call that would warn has no warning', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const [first, later, ok] = await w.leased(nodeId, workspace, 3)
      await w.record(nodeId, [w.failure(first!)], STRICT)
      w.now += 13 * HOUR_MS
      const { notifications } = await w.record(nodeId, [w.failure(later!), w.success(ok!)], STRICT)
      expect(notifications).toEqual([])
    })

    test('disabling by hand sends no message', async () => {
      const w = world()
      const webhook = await w.webhook(await w.workspace())
      await w.update(webhook, { status: 'off' })
      expect(await w.storage.listNotifications({ limit: 10, before: null })).toEqual([])
    })

    test('for a webhook created by a key, the member who created the key gets the message', async () => {
      const w = world()
      const workspace = await w.workspace()
      const member = await w.member(workspace)
      const key = await w.key(workspace, member)
      await w.webhook(workspace, { createdBy: { type: 'key', publicId: key.publicId } })
      expect(await disableWebhook(w, workspace)).toMatchObject([{ memberId: member.id }])
    })

    test('there is no message when the key was created by no member', async () => {
      const w = world()
      const workspace = await w.workspace()
      const key = await w.key(workspace)
      await w.webhook(workspace, { createdBy: { type: 'key', publicId: key.publicId } })
      expect(await disableWebhook(w, workspace)).toMatchObject([{ memberId: null }])
    })

    test.each(['before', 'after'])(
      'there is no message when the member left %s the webhook was disabled',
      async (when) => {
        const w = world()
        const workspace = await w.workspace()
        const { publicId } = await w.member(workspace)
        await w.webhook(workspace, { createdBy: { type: 'member', publicId } })
        const leave = () => w.storage.deleteMember({ workspaceId: workspace.id, publicId, now: w.now })
        if (when === 'before') await leave()
        await disableWebhook(w, workspace)
        if (when === 'after') await leave()
        const kept = await w.storage.listNotifications({ limit: 10, before: null })
        expect(kept).toMatchObject([{ memberId: null }])
      },
    )

    test('notifications are listed newest first, in pages', async () => {
      const w = world()
      const webhooks: Webhook[] = []
      for (let i = 0; i < 3; i++) {
        const workspace = await w.workspace()
        webhooks.push(await w.webhook(workspace))
        await disableWebhook(w, workspace)
      }
      const page = await w.storage.listNotifications({ limit: 2, before: null })
      const rest = await w.storage.listNotifications({ limit: 2, before: page[1]!.id })
      expect([...page, ...rest].map(({ webhookId }) => webhookId)).toEqual(
        webhooks.map(({ id }) => id).reverse(),
      )
    })

    test('a webhook that fails for a day in one call has one message, without a warning', async () => {
      const w = world()
      const workspace = await w.workspace()
      await w.webhook(workspace)
      const nodeId = await w.node()
      const [first, second, third] = await w.leased(nodeId, workspace, 3)
      await w.record(nodeId, [w.failure(first!)], STRICT)
      w.now += DAY_MS
      const { notifications } = await w.record(nodeId, [w.failure(second!), w.failure(third!)], STRICT)
      expect(notifications.map(({ kind }) => kind)).toEqual(['webhook_off'])
    })
  })
}
