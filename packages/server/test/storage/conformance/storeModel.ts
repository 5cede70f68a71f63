import fc from 'fast-check'
import { nextTrigger, type RunTrigger } from '../../../src/core/delivery.ts'
import type { WebhookStatus } from '../../../src/core/enabledState.ts'
import { applySignal, type Health, type OffReason } from '../../../src/core/health.ts'
import type { DeliveryRecord, Webhook, Workspace } from '../../../src/storage/rows.ts'
import type { AttemptToRecord, ManualSendResult } from '../../../src/storage/storage.ts'
import { HOUR_MS, STRICT, type World } from './world.ts'

type Outcome = 'ok' | 'retry' | 'end' | 'gone'
type NodeIndex = 0 | 1

export type Step =
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'publish'; readonly count: number; readonly room: number }
  | { readonly do: 'claim'; readonly node: NodeIndex; readonly limit: number }
  | {
      readonly do: 'record'
      readonly node: NodeIndex
      readonly picks: readonly { readonly pick: number; readonly outcome: Outcome }[]
    }
  | { readonly do: 'status'; readonly webhook: 0 | 1; readonly to: WebhookStatus }
  | { readonly do: 'resend'; readonly pick: number }
  | { readonly do: 'release' | 'replaceNode'; readonly node: NodeIndex }
  | { readonly do: 'expire'; readonly ageMs: number }

const node = fc.constantFrom<NodeIndex>(0, 0, 0, 1)
const pick = fc.nat(30)
const outcome = fc.constantFrom<Outcome>('ok', 'ok', 'retry', 'retry', 'end', 'gone')
const count = fc.integer({ min: 1, max: 3 })
const picks = fc.array(fc.record({ pick, outcome }), { minLength: 1, maxLength: 5 })

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('wait'), ms: fc.constantFrom(1, 60_000, 9 * HOUR_MS) }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('publish'), count, room: fc.nat(4) }) },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('claim'), node, limit: fc.integer({ min: 1, max: 5 }) }),
    },
    { weight: 8, arbitrary: fc.record({ do: fc.constant('record'), node, picks }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('status'),
        webhook: fc.constantFrom<0 | 1>(0, 1),
        to: fc.constantFrom<WebhookStatus>('on', 'on', 'on', 'paused', 'off'),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('resend'), pick }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('release', 'replaceNode'), node }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('expire'), ageMs: fc.constantFrom(0, 60_000) }) },
  ) as fc.Arbitrary<Step>,
  { minLength: 5, maxLength: 60 },
)

interface Delivery {
  readonly id: number
  readonly webhookId: number
  readonly createdAt: number
  status: DeliveryRecord['status']
  nextAttemptAt: number | null
  finishedAt: number | null
  lease: number | null
  trigger: RunTrigger
  runStart: number
  /** Number and trigger of each. */
  attempts: string[]
}

interface ModelWebhook {
  readonly row: Webhook
  status: WebhookStatus
  offReason: OffReason | null
  health: Health
}

/** The rules of the store over plain arrays: slow, small and without transactions. */
export class StoreModel {
  readonly workspace: Workspace
  readonly webhooks: readonly ModelWebhook[]
  readonly nodes: [number, number]
  #deliveries: Delivery[] = []

  constructor(workspace: Workspace, webhooks: readonly Webhook[], nodes: [number, number]) {
    this.workspace = workspace
    this.nodes = nodes
    this.webhooks = webhooks.map((row) => ({
      row,
      status: 'on',
      offReason: null,
      health: { on: true, failingSince: null, warned: false },
    }))
  }

  pick(index: number): Delivery | undefined {
    return this.#deliveries[index % Math.max(this.#deliveries.length, 1)]
  }

  leasedTo(nodeId: number): Delivery[] {
    return this.#deliveries.filter((delivery) => delivery.lease === nodeId)
  }

  publish(events: number, room: number, _nodeId: number): { leased: number[]; unleased: number[] } {
    const on = this.webhooks.filter(({ status }) => status === 'on').map(({ row }) => row.id)
    const all = Array.from({ length: events }, () => on).flat()
    return { leased: all.slice(0, room), unleased: [...new Set(all.slice(room))].sort() }
  }

  /** Adds deliveries that the store has created; their ids are its own choice. */
  name(rows: readonly { id: number; webhookId: number; now: number }[]): void {
    const known = new Set(this.#deliveries.map(({ id }) => id))
    for (const { id, webhookId, now } of rows) {
      if (known.has(id)) continue
      const start = { status: 'pending' as const, nextAttemptAt: now, finishedAt: null, lease: null }
      this.#deliveries.push({
        id,
        webhookId,
        createdAt: now,
        ...start,
        trigger: 'schedule',
        runStart: 0,
        attempts: [],
      })
    }
  }

  lease(id: number, nodeId: number): void {
    this.#deliveries.find((delivery) => delivery.id === id)!.lease = nodeId
  }

  claim(nodeId: number, limit: number, perWebhook: number, now: number) {
    const taken: Delivery[] = []
    for (const { row, status } of this.webhooks) {
      if (status !== 'on') continue
      const due = this.#deliveries.filter(
        (d) =>
          d.webhookId === row.id && d.status === 'pending' && d.lease === null && d.nextAttemptAt! <= now,
      )
      due.sort((a, b) => a.nextAttemptAt! - b.nextAttemptAt! || a.id - b.id)
      taken.push(...due.slice(0, Math.min(perWebhook, limit - taken.length)))
    }
    for (const delivery of taken) delivery.lease = nodeId
    return taken.map(({ id, attempts, runStart, trigger }) => ({
      id,
      attempts: attempts.length,
      runStart,
      trigger,
    }))
  }

  /** The attempt that a sender would report now. */
  result(w: World, delivery: Delivery, as: Outcome): AttemptToRecord {
    const { id: deliveryId, webhookId, runStart, trigger } = delivery
    const made = delivery.attempts.length
    const attempt = {
      number: made + 1,
      trigger: nextTrigger({ attempts: made, runStart, trigger, retryNumber: null }),
    }
    const of = { deliveryId, webhookId }
    if (as === 'ok') return w.success(of, attempt)
    if (as === 'retry') return w.failure(of, { attempt })
    const next = { status: 'failed' as const, nextAttemptAt: null }
    return w.failure(of, { attempt, next, signal: as === 'gone' ? 'gone' : 'failure' })
  }

  record(nodeId: number, results: readonly AttemptToRecord[], now: number) {
    const lost: number[] = []
    const disabled: { webhookId: number; reason: OffReason }[] = []
    for (const result of results) {
      const delivery = this.#deliveries.find(({ id }) => id === result.deliveryId)!
      const stale = delivery.attempts.length !== result.attempt.number - 1
      if (delivery.lease !== nodeId || stale) lost.push(delivery.id)
      else disabled.push(...this.#settle(delivery, result, now))
    }
    // The store returns webhooks in the order in which the call first used them.
    const met = [...new Set(results.map(({ webhookId }) => webhookId))]
    disabled.sort((a, b) => met.indexOf(a.webhookId) - met.indexOf(b.webhookId))
    return { lost, disabled }
  }

  #settle(delivery: Delivery, { attempt, next, signal }: AttemptToRecord, now: number) {
    const webhook = this.webhooks.find(({ row }) => row.id === delivery.webhookId)!
    const params = { health: webhook.health, signal, policy: STRICT, failedAt: attempt.startedAt, now }
    const change = applySignal(params)
    delivery.lease = null
    delivery.attempts.push(`${attempt.number} ${attempt.trigger}`)
    if (next.status === 'delivered' || delivery.status !== 'canceled') {
      delivery.status = next.status
      delivery.nextAttemptAt = next.nextAttemptAt
      delivery.finishedAt = next.status === 'pending' ? null : now
    }
    webhook.health = change.health
    if (change.off === null) return []
    webhook.status = 'off'
    webhook.offReason = change.off
    this.#cancel(webhook.row.id, now)
    return [{ webhookId: webhook.row.id, reason: change.off }]
  }

  #cancel(webhookId: number, now: number): void {
    for (const delivery of this.#deliveries) {
      if (delivery.webhookId !== webhookId || delivery.status !== 'pending') continue
      Object.assign(delivery, { status: 'canceled', nextAttemptAt: null, finishedAt: now })
    }
  }

  setStatus(webhook: ModelWebhook, to: WebhookStatus, now: number): void {
    if (to === webhook.status || (to === 'paused' && webhook.status === 'off')) return
    if (to === 'on' && webhook.status === 'off')
      webhook.health = { on: true, failingSince: null, warned: false }
    if (to === 'off') {
      webhook.health = { ...webhook.health, on: false }
      this.#cancel(webhook.row.id, now)
    }
    webhook.status = to
    webhook.offReason = to === 'off' ? 'manual' : null
  }

  resend(id: number, now: number): ManualSendResult['outcome'] {
    const delivery = this.#deliveries.find((one) => one.id === id)
    if (delivery === undefined) return 'not_found'
    const webhook = this.webhooks.find(({ row }) => row.id === delivery.webhookId)!
    if (webhook.status !== 'on') return 'webhook_not_on'
    if (delivery.status === 'pending' || delivery.lease !== null) return 'wrong_status'
    Object.assign(delivery, {
      status: 'pending',
      nextAttemptAt: now,
      finishedAt: null,
      trigger: 'redeliver',
      runStart: delivery.attempts.length,
    })
    return 'accepted'
  }

  endLeases(nodeId: number): void {
    for (const delivery of this.leasedTo(nodeId)) delivery.lease = null
  }

  /** @param left the rest that the store has kept, if it may keep more than it must; `null`: it must not */
  expire(before: number, left: ReadonlySet<number> | null): void {
    this.#deliveries = this.#deliveries.filter(
      ({ id, createdAt, lease }) => createdAt >= before || lease !== null || left?.has(id) === true,
    )
  }

  visible() {
    return this.#deliveries.map(({ id, status, nextAttemptAt, finishedAt, attempts }) => ({
      id,
      status,
      nextAttemptAt,
      finishedAt,
      attempts,
    }))
  }
}
