import { switched } from '../../src/core/switches.ts'
import { HealthInCall } from '../../src/storage/healthInCall.ts'
import type { LeasedDelivery, Notification, WebhookRef, Workspace } from '../../src/storage/rows.ts'
import type { AttemptToRecord, EventToStore, PublishResult, Storage } from '../../src/storage/storage.ts'
import { DueIndex, waitingHeap } from './dueIndex.ts'
import {
  type Entry,
  heldOf,
  type StoredDelivery,
  type StoredWebhook,
  toLeased,
  toRecord,
  toWebhook,
} from './storeRows.ts'

type Params<Verb extends keyof Storage> = Storage[Verb] extends (params: infer P) => unknown ? P : never
type Result<Verb extends keyof Storage> = Storage[Verb] extends (...params: never[]) => Promise<infer R>
  ? R
  : never
type LeasedByPublish = Extract<PublishResult, { outcome: 'accepted' }>['leased'][number]

/**
 * What one node needs of a store to deliver, over plain objects and at once: a simulation makes millions of calls.
 * That it does the same as the embedded store is tested beside it.
 */
export class MemoryStore {
  readonly deliveries: StoredDelivery[] = []
  readonly webhooks: StoredWebhook[] = []
  readonly history: Entry[] = []
  readonly #workspaces: { readonly row: Workspace; readonly webhooks: StoredWebhook[] }[] = []
  readonly #due = new DueIndex()
  #eventIds = 0

  createWorkspace({ now: createdAt, ...fields }: Params<'createWorkspace'>): Workspace {
    const row = { ...fields, id: this.#workspaces.length + 1, suspendedAt: null, createdAt }
    this.#workspaces.push({ row, webhooks: [] })
    return row
  }

  createWebhook({
    sealedSecret,
    maxWebhooks: _,
    now,
    ...fields
  }: Params<'createWebhook'>): Result<'createWebhook'> {
    const { row: workspace, webhooks } = this.#workspaces[fields.workspaceId - 1]!
    const state = { status: 'on', offReason: null, stoppedAt: null, failingSince: null, version: 1 } as const
    const id = this.webhooks.length + 1
    const made = { ...fields, ...state, id, createdAt: now, updatedAt: now }
    const line = { waiting: waitingHeap(), leased: new Set<StoredDelivery>() }
    const webhook: StoredWebhook = { id, workspace, made, sealedSecret, ...state, warned: false, ...line }
    this.webhooks.push(webhook)
    webhooks.push(webhook)
    return { outcome: 'created', webhook: toWebhook(webhook) }
  }

  /** Only switches webhooks on. */
  updateWebhook({ webhookId, changes, now: at }: Params<'updateWebhook'>): Result<'updateWebhook'> {
    const webhook = this.webhooks[webhookId - 1]!
    if (switched(webhook.status, changes) !== 'on')
      throw new Error('simulated people only switch webhooks on')
    const changed = webhook.status === 'off'
    if (changed) {
      const version = webhook.version + 1
      Object.assign(webhook, {
        status: 'on',
        offReason: null,
        stoppedAt: null,
        failingSince: null,
        warned: false,
        version,
      })
      this.history.push({ kind: 'switchedOn', at, webhook })
    }
    return { outcome: 'updated', webhook: toWebhook(webhook), changed }
  }

  loadTargets({ webhookIds }: Params<'loadTargets'>): Result<'loadTargets'> {
    return webhookIds.map((id) => {
      const { made, workspace, version, status, sealedSecret } = this.webhooks[id - 1]!
      const { publicId, workspaceId, url } = made
      const secrets = [{ sealed: sealedSecret, expiresAt: null }]
      return { id, workspaceId, publicId, version, dialect: workspace.dialect, url, status, secrets }
    })
  }

  getDelivery({ workspaceId, deliveryId }: Params<'getDelivery'>): Result<'getDelivery'> {
    const delivery = this.deliveries[deliveryId - 1]
    return delivery?.webhook.workspace.id === workspaceId ? toRecord(delivery) : null
  }

  retireNode(): void {
    for (const { leased } of this.webhooks) this.#endLeases([...leased])
  }

  reserveEventIds({ count }: Params<'reserveEventIds'>): number {
    this.#eventIds += count
    return this.#eventIds - count + 1
  }

  publish({ batches, room, withhold }: Params<'publish'>): PublishResult[] {
    const withheld = new Set(withhold)
    let left = room
    return batches.map((batch) => {
      const leased: LeasedByPublish[] = []
      const unleased = new Set<number>()
      let deliveries = 0
      for (const [position, event] of batch.entries()) {
        for (const delivery of this.#keepEvent(event)) {
          const { id: webhookId, version: webhookVersion } = delivery.webhook
          deliveries++
          if (left > 0 && !withheld.has(webhookId)) {
            left--
            lease(delivery)
            leased.push({ ...heldOf(delivery), webhookId, webhookVersion, event: position })
          } else {
            this.#wait(delivery)
            unleased.add(webhookId)
          }
        }
      }
      const repeats = batch.map(() => null)
      return { outcome: 'accepted', repeats, deliveries, late: 0, leased, unleased: [...unleased] }
    })
  }

  claimDue(params: Params<'claimDue'>): Result<'claimDue'> {
    const { now, limit, perWebhook, afterWebhookId } = params
    const except = new Set(params.except)
    const exceptWorkspaces = new Set(params.exceptWorkspaces)
    const deliveries: LeasedDelivery[] = []
    const more: WebhookRef[] = []
    let nextAfterWebhookId = 0
    for (const webhook of this.#due.due(now, afterWebhookId)) {
      if (except.has(webhook.id)) continue
      const workspaceId = webhook.workspace.id
      const room = exceptWorkspaces.has(workspaceId) ? 0 : Math.min(perWebhook, limit - deliveries.length)
      if (takeDue(webhook, room, now, deliveries)) more.push({ webhookId: webhook.id, workspaceId })
      this.#due.note(webhook)
      if (deliveries.length < limit) continue
      nextAfterWebhookId = webhook.id
      break
    }
    return { deliveries, more, nextAfterWebhookId, nextDueAt: this.#due.next(except) }
  }

  recordAttempts(params: Params<'recordAttempts'>): Result<'recordAttempts'> {
    const { now, results } = params
    const lost: number[] = []
    const healths = new Map<StoredWebhook, HealthInCall>()
    for (const result of results) {
      const delivery = this.deliveries[result.deliveryId - 1]!
      if (!delivery.leased || delivery.attempts.length !== result.attempt.number - 1) {
        lost.push(delivery.id)
        continue
      }
      const health = healths.get(delivery.webhook) ?? healthOf(delivery.webhook)
      healths.set(delivery.webhook, health)
      const change = health.weigh(result, params)
      this.#record(delivery, result, health, now)
      health.accept(change)
    }
    return { lost, ...this.#settle(healths, now) }
  }

  releaseDeliveries({ deliveries }: Params<'releaseDeliveries'>): void {
    this.#endLeases(deliveries.map(({ deliveryId }) => this.deliveries[deliveryId - 1]!))
  }

  resend({ deliveryId, trigger, from, now: at }: Params<'resend'>): Result<'resend'> {
    const delivery = this.deliveries[deliveryId - 1]!
    const { webhook, leased, attempts } = delivery
    if (webhook.status !== 'on') return { outcome: 'webhook_not_on', status: webhook.status }
    const status = leased ? 'pending' : delivery.status
    if (!from.includes(status)) return { outcome: 'wrong_status', status }
    const run = { trigger, runStart: attempts.length, nextAttemptAt: at, finishedAt: null }
    Object.assign(delivery, { status: 'pending', ...run })
    this.history.push({ kind: 'replayed', at, delivery })
    this.#wait(delivery)
    return { outcome: 'accepted', delivery: toRecord(delivery), limit: null }
  }

  /** @returns the event's deliveries, of webhooks that are on and want it */
  #keepEvent(event: EventToStore): readonly StoredDelivery[] {
    const { workspaceId, type, createdAt } = event
    const deliveries: StoredDelivery[] = []
    for (const webhook of this.#workspaces[workspaceId - 1]!.webhooks) {
      const { eventTypes } = webhook.made
      if (webhook.status !== 'on' || (eventTypes.length > 0 && !eventTypes.includes(type))) continue
      const delivery: StoredDelivery = {
        id: this.deliveries.length + 1,
        webhook,
        event,
        status: 'pending',
        attempts: [],
        trigger: 'schedule',
        runStart: 0,
        nextAttemptAt: createdAt,
        finishedAt: null,
        leased: false,
      }
      this.deliveries.push(delivery)
      deliveries.push(delivery)
    }
    this.history.push({ kind: 'published', at: createdAt, event, deliveries })
    return deliveries
  }

  #record(delivery: StoredDelivery, result: AttemptToRecord, health: HealthInCall, at: number): void {
    const { attempt, next } = result
    const { webhook, status } = delivery
    this.history.push({ kind: 'attempted', at, delivery, attempt, next })
    delivery.leased = false
    webhook.leased.delete(delivery)
    delivery.attempts.push(attempt)
    if (next.status !== 'delivered' && (status === 'canceled' || health.canceled(delivery.id))) {
      end(delivery, 'canceled', at)
    } else if (next.status !== 'pending') {
      end(delivery, next.status, at)
    } else {
      delivery.nextAttemptAt = next.nextAttemptAt
      this.#wait(delivery)
    }
  }

  #settle(
    healths: ReadonlyMap<StoredWebhook, HealthInCall>,
    at: number,
  ): Omit<Result<'recordAttempts'>, 'lost'> {
    const switchedOff: Result<'recordAttempts'>['switchedOff'][number][] = []
    const notifications: Notification[] = []
    for (const [webhook, { health, off: reason, warn }] of healths) {
      webhook.failingSince = health.failingSince
      webhook.warned = health.warned
      if (reason !== null) {
        Object.assign(webhook, { status: 'off', offReason: reason, version: webhook.version + 1 })
        for (const delivery of [...webhook.waiting.items, ...webhook.leased]) end(delivery, 'canceled', at)
        webhook.waiting.clear()
        switchedOff.push({ webhookId: webhook.id, reason })
        this.history.push({ kind: 'switchedOff', at, webhook, reason })
        notifications.push(this.#notification('webhook_off', webhook, at))
      } else if (warn) {
        this.history.push({ kind: 'warned', at, webhook })
        notifications.push(this.#notification('webhook_failing', webhook, at))
      }
    }
    return { switchedOff, notifications }
  }

  #notification(kind: Notification['kind'], webhook: StoredWebhook, createdAt: number): Notification {
    const { id: webhookId, workspace, made, offReason: reason, failingSince } = webhook
    const data = { webhook_public_id: made.publicId, reason, failing_since: failingSince }
    const of = { workspaceId: workspace.id, webhookId, memberId: null }
    const unsent = { attempts: 0, lastError: null, sentAt: null, givenUpAt: null }
    const id = this.history.length
    return { id, messageKey: `message ${id}`, kind, ...of, data, createdAt, ...unsent }
  }

  #endLeases(deliveries: readonly StoredDelivery[]): void {
    for (const delivery of deliveries) {
      delivery.leased = false
      delivery.webhook.leased.delete(delivery)
      if (delivery.status === 'pending') this.#wait(delivery)
    }
  }

  #wait(delivery: StoredDelivery): void {
    const { webhook } = delivery
    webhook.waiting.push(delivery)
    if (webhook.waiting.first === delivery) this.#due.note(webhook)
  }
}

function healthOf({ id, workspace, status, failingSince, warned }: StoredWebhook): HealthInCall {
  const kept = { deleted_at: null, canceled_through: null, canceled_at: null }
  return new HealthInCall(id, {
    ...kept,
    workspace_id: workspace.id,
    status,
    failing_since: failingSince,
    warned,
  })
}

/** @returns whether more is due than there was room for */
function takeDue({ waiting }: StoredWebhook, room: number, now: number, taken: LeasedDelivery[]): boolean {
  for (let left = room; ; left--) {
    const delivery = waiting.first
    if (delivery === undefined || delivery.nextAttemptAt! > now) return false
    if (left === 0) return true
    waiting.pop()
    lease(delivery)
    taken.push(toLeased(delivery))
  }
}

function lease(delivery: StoredDelivery): void {
  delivery.leased = true
  delivery.webhook.leased.add(delivery)
}

/** One that is canceled in flight keeps its lease: whether it was delivered is still to come. */
function end(delivery: StoredDelivery, status: StoredDelivery['status'], at: number): void {
  if (delivery.status !== 'canceled' || status === 'delivered') delivery.finishedAt = at
  delivery.status = status
  delivery.nextAttemptAt = null
}
