import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import type { EnabledState, WebhookStatus } from '../../../src/core/enabledState.ts'
import type { HealthPolicy } from '../../../src/core/health.ts'
import type { StorageCalls } from '../../../src/storage/callGroups.ts'
import type { DeliveryRecord, LeasedDelivery, Replay, Webhook, Workspace } from '../../../src/storage/rows.ts'
import type {
  AttemptToRecord,
  DeliveryPosition,
  EventToStore,
  LeasedRef,
  PublishResult,
  RecordResult,
} from '../../../src/storage/storage.ts'
import { EVERYTHING } from '../../support/search.ts'
import { People } from './people.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** Never disables a webhook. */
export const LENIENT: HealthPolicy = {
  goneDisables: false,
  disableAfterMs: null,
  warnAfterMs: null,
  early: null,
}
export const STRICT: HealthPolicy = {
  goneDisables: true,
  disableAfterMs: DAY_MS,
  warnAfterMs: 12 * HOUR_MS,
  early: null,
}

type Accepted = Extract<PublishResult, { outcome: 'accepted' }>

/** The changes that bring a webhook into a state. */
const SWITCHES: Record<WebhookStatus, EnabledState> = {
  on: { enabled: true, paused: false },
  off: { enabled: false },
  paused: { paused: true },
}

/** A store with helpers for tests, and a clock that only tests move. */
export class World extends People {
  async webhook(
    workspace: Workspace,
    changes: Partial<Parameters<StorageCalls['createWebhook']>[0]> = {},
  ): Promise<Webhook> {
    const result = await this.storage.createWebhook({
      publicId: this.name('wh_'),
      workspaceId: workspace.id,
      url: 'https://receiver.example.com/hooks',
      eventTypes: [],
      description: 'A webhook',
      createdBy: { type: 'member', publicId: 'usr_unknown' },
      sealedSecret: Uint8Array.of(1),
      maxWebhooks: null,
      now: this.now,
      ...changes,
    })
    if (result.outcome !== 'created') throw new Error(result.outcome)
    return result.webhook
  }

  async node(leaseMs = HOUR_MS): Promise<number> {
    return (await this.storage.registerNode({ leaseMs })).nodeId
  }

  /** Ends a node's lease at once; its deliveries stay leased to it until another node takes over. */
  async lapse(nodeId: number): Promise<void> {
    expect(await this.storage.renewNode({ nodeId, leaseMs: 0 })).toBe(true)
  }

  async event(workspace: Workspace, changes: Partial<EventToStore> = {}): Promise<EventToStore> {
    return (await this.events(1, workspace, changes))[0]!
  }

  /** Events with consecutive ids. */
  async events(
    count: number,
    workspace: Workspace,
    changes: Partial<EventToStore> = {},
  ): Promise<EventToStore[]> {
    const first = await this.storage.reserveEventIds({ count })
    return Array.from({ length: count }, (_, position) => ({
      id: first + position,
      workspaceId: workspace.id,
      type: 'thing.happened',
      broughtId: null,
      broughtRowId: null,
      fingerprint: null,
      body: '{"type":"thing.happened"}',
      createdAt: this.now,
      traceparent: null,
      ...changes,
    }))
  }

  /** Publishes one batch, with room for all of it by default. */
  async publish(
    nodeId: number,
    batch: readonly EventToStore[],
    changes: { room?: number; keepInStore?: readonly number[]; maxFanout?: number } = {},
  ): Promise<Accepted> {
    const params = {
      nodeId,
      batches: [batch],
      room: 1_000_000,
      keepInStore: [],
      maxFanout: 1_000_000,
      ...changes,
    }
    const [result] = await this.storage.publish(params)
    if (result?.outcome !== 'accepted') throw new Error('the batch was refused')
    this.took(result.leased)
    return result
  }

  /** Publishes `count` events; their deliveries are leased to the node. */
  async leased(nodeId: number, workspace: Workspace, count = 1): Promise<readonly LeasedRef[]> {
    return (await this.publish(nodeId, await this.events(count, workspace))).leased
  }

  /** Publishes `count` events; their deliveries wait in the store, due now. */
  async waiting(nodeId: number, workspace: Workspace, count = 1): Promise<void> {
    const { late } = await this.publish(nodeId, await this.events(count, workspace), { room: 0 })
    if (late > 0) await this.finishFanouts()
  }

  /**
   * Waits until feeds show everything stored so far. Unrelated transactions, of other test files or the
   * database's own, may delay them; PostgreSQL does not report when they end.
   */
  async settled(): Promise<void> {
    const workspace = await this.workspace()
    await this.publish(await this.node(), [await this.event(workspace)])
    const feed = { workspaceId: workspace.id, eventTypes: null, after: null, limit: 1 }
    while ((await this.storage.listEvents(feed)).events.length === 0) await setTimeout(1)
  }

  async claim(nodeId: number, changes: Partial<Parameters<StorageCalls['claimDue']>[0]> = {}) {
    const claimed = await this.storage.claimDue({
      nodeId,
      now: this.now,
      limit: 1000,
      perWebhook: 100,
      except: [],
      exceptWorkspaces: [],
      afterWebhookId: 0,
      ...changes,
    })
    this.took(claimed.deliveries.map(({ id, ...leased }) => ({ deliveryId: id, ...leased })))
    return claimed
  }

  /** Claims until nothing is left. */
  async claimAll(nodeId?: number): Promise<LeasedDelivery[]> {
    const node = nodeId ?? (await this.node())
    const claimed: LeasedDelivery[] = []
    for (let more = true; more; ) {
      const { deliveries } = await this.claim(node, { perWebhook: 1_000 })
      claimed.push(...deliveries)
      more = deliveries.length > 0
    }
    return claimed
  }

  async claimedIds(nodeId: number): Promise<number[]> {
    return (await this.claim(nodeId)).deliveries.map((delivery) => delivery.id)
  }

  record(
    nodeId: number,
    results: readonly AttemptToRecord[],
    policy: HealthPolicy = LENIENT,
    steadySince: number | null = null,
  ): Promise<RecordResult> {
    return this.storage.recordAttempts({
      nodeId,
      now: this.now,
      steadySince,
      outageNotBefore: steadySince,
      failingFrom: null,
      healthPolicies: [policy],
      results,
    })
  }

  async delivery(workspace: Workspace, deliveryId: number): Promise<DeliveryRecord> {
    const delivery = await this.storage.getDelivery({ workspaceId: workspace.id, deliveryId })
    expect(delivery).not.toBeNull()
    return delivery!
  }

  /** All deliveries of a webhook, newest first. */
  async log({ workspaceId, id: webhookId }: Webhook): Promise<DeliveryRecord[]> {
    const filter = { ...EVERYTHING, workspaceId, webhookId }
    const log: DeliveryRecord[] = []
    let before: DeliveryPosition | null = null
    do {
      const params = { ...filter, limit: 1000, before }
      const page: Awaited<ReturnType<StorageCalls['searchDeliveries']>> =
        await this.storage.searchDeliveries(params)
      log.push(...page.deliveries)
      before = page.next
    } while (before !== null)
    return log
  }

  /** Oldest first. */
  async statuses(webhook: Webhook): Promise<string[]> {
    return (await this.log(webhook)).map((delivery) => delivery.status).reverse()
  }

  async reread(webhook: Webhook): Promise<Webhook> {
    const { workspaceId, publicId } = webhook
    return (await this.storage.getWebhook({ workspaceId, publicId }))!
  }

  /** Changes a webhook and sets its status. @returns its new state; `null` when it is gone. */
  async update(
    webhook: Webhook,
    {
      status,
      ...fields
    }: Parameters<StorageCalls['updateWebhook']>[0]['changes'] & { status?: WebhookStatus },
    how: { readonly pauseHolds?: boolean } = {},
  ) {
    const { id: webhookId, workspaceId, publicId } = webhook
    const changes = { ...fields, ...(status === undefined ? {} : SWITCHES[status]) }
    const params = { workspaceId, webhookId, ifVersions: null, changes, ...how, now: this.now }
    const update = await this.storage.updateWebhook(params)
    if (update?.outcome === 'updated') return update.webhook
    return update === null ? null : this.storage.getWebhook({ workspaceId, publicId })
  }

  /** Deletes it, whatever its version. */
  remove({ id: webhookId, workspaceId }: Webhook) {
    return this.storage.deleteWebhook({ workspaceId, webhookId, ifVersions: null, now: this.now })
  }

  /** Gives it a secret of one byte, at once by default. */
  rotate({ id: webhookId, workspaceId }: Webhook, { secret = 2, overlapMs = 0 } = {}) {
    const sealedSecret = Uint8Array.of(secret)
    const params = { workspaceId, webhookId, ifVersions: null, sealedSecret, overlapMs, now: this.now }
    return this.storage.rotateSecret(params)
  }

  /** Requests a replay of all dead deliveries. */
  async replay({ id: workspaceId }: Workspace): Promise<Replay> {
    const filter = {
      workspaceId,
      webhookId: null,
      statuses: ['dead'],
      eventTypes: [],
      from: null,
      to: null,
    } as const
    const publicId = this.name('rpl_')
    const asked = {
      publicId,
      trigger: 'replay',
      max: 100,
      total: 0,
      maxUnfinished: 1000,
      limit: null,
    } as const
    const result = await this.storage.createReplay({ ...filter, ...asked, now: this.now })
    return (result as Extract<typeof result, { readonly outcome: 'created' }>).replay
  }

  /**
   * One step of retention; the audit log and idempotency keys age like everything else by default, and
   * expired deliveries are kept no longer. @returns rows handled
   */
  async expire(
    before: number,
    changes: Partial<Parameters<StorageCalls['deleteExpired']>[0]> = {},
  ): Promise<number> {
    const ages = { before, expiredBefore: this.now + 1, auditBefore: before, idempotencyBefore: before }
    const params = { ...ages, now: this.now, limit: 1000, ...changes }
    return (await this.storage.deleteExpired(params)).handled
  }

  /** Retention until nothing is left to do. */
  expireAll(
    before: number,
    changes: Partial<Parameters<StorageCalls['deleteExpired']>[0]> = {},
  ): Promise<number> {
    return this.untilDone(() => this.expire(before, changes))
  }

  /** Creates all remaining deliveries. @returns how many webhooks were visited */
  finishFanouts(limit = 1_000): Promise<number> {
    return this.untilDone(async () => (await this.storage.stepFanouts({ now: this.now, limit })).looked)
  }

  /** Repeats a limited step until it finds nothing to do. @returns the sum of handled rows. */
  async untilDone(step: () => Promise<number>): Promise<number> {
    let sum = 0
    for (let handled = await step(); handled > 0; handled = await step()) sum += handled
    return sum
  }
}
