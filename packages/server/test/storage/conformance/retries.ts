import { describe, expect, test } from 'vitest'
import type { Webhook, Workspace } from '../../../src/storage/rows.ts'
import type { Subject } from './subject.ts'
import type { World } from './world.ts'

const TWO_A_MINUTE = { max: 2, windowMs: 60_000 }
const LATER_MS = 60_000

interface Failed {
  readonly w: World
  readonly workspace: Workspace
  readonly webhook: Webhook
  readonly nodeId: number
  /** Deliveries that wait for their second attempt, each a millisecond after the one before. */
  readonly ids: readonly number[]
}

async function fail(w: World, count: number): Promise<Failed> {
  const workspace = await w.workspace()
  const webhook = await w.webhook(workspace)
  const nodeId = await w.node()
  const { leased } = await w.publish(nodeId, await w.events(count, workspace))
  await w.record(
    nodeId,
    leased.map((ref, index) =>
      w.failure(ref, { next: { status: 'pending', nextAttemptAt: w.now + LATER_MS + index } }),
    ),
  )
  return { w, workspace, webhook, nodeId, ids: leased.map(({ deliveryId }) => deliveryId) }
}

const retry = ({ w, workspace }: Failed, deliveryId: number, limit: typeof TWO_A_MINUTE | null = null) =>
  w.storage.retryDelivery({ workspaceId: workspace.id, deliveryId, limit, now: w.now })

const retryAll = ({ w, workspace, webhook }: Failed, limit: typeof TWO_A_MINUTE | null = null) =>
  w.storage.retryWebhook({ workspaceId: workspace.id, webhookId: webhook.id, limit, now: w.now })

/** One step of all retries. @returns how many deliveries it made due */
const step = async (w: World, places = 8) =>
  (await w.storage.stepRetries({ now: w.now, places, afterWebhookId: 0 })).asked

const read = ({ w, webhook }: Failed) => w.storage.getWebhookRetry({ webhookId: webhook.id })

/** Attempts due deliveries. @param outcomes of each in turn */
async function attempt({ w, nodeId, webhook }: Failed, outcomes: readonly boolean[]): Promise<number[]> {
  const { deliveries } = await w.claim(nodeId)
  expect(deliveries).toHaveLength(outcomes.length)
  const results = deliveries.map(({ id: deliveryId, attempts, trigger, retryNumber }, index) => {
    const number = attempts + 1
    expect([trigger, retryNumber]).toEqual(['schedule', number])
    const ref = { deliveryId, webhookId: webhook.id }
    const named = { number, trigger: 'retry' as const }
    if (outcomes[index]) return w.success(ref, named)
    return w.failure(ref, {
      attempt: named,
      next: { status: 'pending', nextAttemptAt: w.now + LATER_MS * 5 },
    })
  })
  await w.record(nodeId, results)
  return deliveries.map(({ id }) => id)
}

export function retrySuite({ world }: Subject): void {
  describe('retry of one delivery', () => {
    test('makes its next attempt due now, as a retry, and leaves the others', async () => {
      const failed = await fail(world(), 2)
      const { w, workspace, ids } = failed
      w.now += 10
      expect(await retry(failed, ids[1]!)).toMatchObject({
        outcome: 'accepted',
        limit: null,
        delivery: { id: ids[1], status: 'pending', nextAttemptAt: w.now },
      })
      expect(await attempt(failed, [false])).toEqual([ids[1]])
      const { attempts, nextAttemptAt } = await w.delivery(workspace, ids[1]!)
      expect(attempts.map(({ number, trigger }) => [number, trigger])).toEqual([
        [1, 'schedule'],
        [2, 'retry'],
      ])
      expect(nextAttemptAt).toBe(w.now + LATER_MS * 5)
      w.now += LATER_MS * 5
      const { deliveries } = await w.claim(failed.nodeId)
      expect(deliveries.map(({ id, retryNumber, attempts }) => [id, retryNumber, attempts])).toEqual([
        [ids[0], null, 1],
        [ids[1], 2, 2],
      ])
    })

    test('of one that is due or in flight is accepted and changes nothing', async () => {
      const failed = await fail(world(), 2)
      const { w, workspace, nodeId, ids } = failed
      w.now += LATER_MS
      expect(await retry(failed, ids[0]!)).toMatchObject({
        outcome: 'accepted',
        delivery: { nextAttemptAt: w.now },
      })
      const { deliveries } = await w.claim(nodeId)
      expect(deliveries).toMatchObject([{ id: ids[0], retryNumber: null }])
      w.now += 5
      expect(await retry(failed, ids[0]!)).toMatchObject({ outcome: 'accepted' })
      await w.storage.releaseDeliveries({ nodeId, deliveries: [w.leaseOf(ids[0]!)] })
      expect(await w.delivery(workspace, ids[0]!)).toMatchObject({ nextAttemptAt: w.now - 5 })
    })

    test('is rejected if nothing is pending, the webhook is not enabled, or missing', async () => {
      const failed = await fail(world(), 2)
      const { w, webhook, ids } = failed
      expect(await retry(failed, 12_345)).toEqual({ outcome: 'not_found' })
      await retry(failed, ids[0]!)
      await attempt(failed, [true])
      expect(await retry(failed, ids[0]!)).toEqual({ outcome: 'wrong_status', status: 'delivered' })
      await w.update(webhook, { status: 'paused' })
      expect(await retry(failed, ids[1]!)).toEqual({ outcome: 'webhook_not_on', status: 'paused' })
      await w.update(webhook, { status: 'off' })
      expect(await retry(failed, ids[1]!)).toEqual({ outcome: 'webhook_not_on', status: 'off' })
    })

    test('shares the limit of manual sends', async () => {
      const failed = await fail(world(), 3)
      for (const [index, remaining] of [1, 0].entries())
        expect(await retry(failed, failed.ids[index]!, TWO_A_MINUTE)).toMatchObject({ limit: { remaining } })
      expect(await retry(failed, failed.ids[2]!, TWO_A_MINUTE)).toMatchObject({ outcome: 'rate_limited' })
      expect(await retryAll(failed, TWO_A_MINUTE)).toMatchObject({ outcome: 'rate_limited' })
    })
  })

  describe('retry of all pending deliveries of a webhook', () => {
    test('starts one, then twice as many as succeeded, up to the slots', async () => {
      const failed = await fail(world(), 12)
      const { w } = failed
      expect(await retryAll(failed)).toMatchObject({
        outcome: 'accepted',
        started: true,
        retry: { askedAt: w.now, delivered: 0, pending: 12, more: false, outcome: null, endedAt: null },
      })
      const sizes: number[] = []
      for (let left = 12; left > 0; ) {
        const asked = await step(w, 5)
        expect(await step(w, 5)).toBe(0)
        await attempt(failed, Array(asked).fill(true))
        sizes.push(asked)
        left -= asked
      }
      expect(sizes).toEqual([1, 2, 4, 5])
      expect(await step(w)).toBe(0)
      expect(await read(failed)).toMatchObject({ delivered: 12, pending: 0, outcome: 'done', endedAt: w.now })
    })

    test('ends at the first failure, and the rest keeps its times and attempts', async () => {
      const failed = await fail(world(), 9)
      const { w, workspace, ids } = failed
      const before = await Promise.all(ids.map((id) => w.delivery(workspace, id)))
      await retryAll(failed)
      expect(await step(w)).toBe(1)
      await attempt(failed, [true])
      expect(await step(w)).toBe(2)
      await attempt(failed, [true, false])
      expect(await step(w)).toBe(0)
      expect(await read(failed)).toMatchObject({ delivered: 2, pending: 7, outcome: 'failed' })
      const after = await Promise.all(ids.map((id) => w.delivery(workspace, id)))
      expect(after.slice(3)).toEqual(before.slice(3))
      expect(after[2]).toMatchObject({ status: 'pending', nextAttemptAt: w.now + LATER_MS * 5 })
    })

    test('requested again while it runs changes nothing, and afterwards starts again', async () => {
      const failed = await fail(world(), 4)
      const { w } = failed
      await retryAll(failed)
      await step(w)
      w.now += 5
      expect(await retryAll(failed)).toMatchObject({ started: false, retry: { askedAt: w.now - 5 } })
      expect(await step(w)).toBe(0)
      await attempt(failed, [false])
      await step(w)
      expect(await read(failed)).toMatchObject({ outcome: 'failed' })
      expect(await retryAll(failed)).toMatchObject({
        started: true,
        retry: { askedAt: w.now, delivered: 0, outcome: null },
      })
      expect(await step(w)).toBe(1)
    })

    test('stops once the webhook is no longer enabled', async () => {
      const failed = await fail(world(), 4)
      const { w, webhook, ids, workspace } = failed
      await retryAll(failed)
      await step(w)
      await w.update(webhook, { status: 'paused' })
      expect(await step(w)).toBe(0)
      expect(await read(failed)).toMatchObject({ outcome: 'stopped' })
      expect(await retryAll(failed)).toEqual({ outcome: 'webhook_not_on', status: 'paused' })
      await w.update(webhook, { status: 'on' })
      expect(await step(w)).toBe(0)
      expect((await w.delivery(workspace, ids[3]!)).nextAttemptAt).toBeGreaterThan(w.now)
    })

    test('processes many webhooks in parts, each at its own pace', async () => {
      const w = world()
      const all = await Promise.all(Array.from({ length: 60 }, () => fail(w, 2)))
      for (const failed of all) await retryAll(failed)
      let [asked, after] = [0, 0]
      do {
        const part = await w.storage.stepRetries({ now: w.now, places: 8, afterWebhookId: after })
        asked += part.asked
        after = part.nextAfterWebhookId
      } while (after > 0)
      expect(asked).toBe(60)
    })

    test('does not exist for a webhook that was never retried', async () => {
      const failed = await fail(world(), 1)
      expect(await read(failed)).toBeNull()
    })
  })
}
