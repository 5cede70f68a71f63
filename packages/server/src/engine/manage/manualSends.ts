import type { EventType } from '../../core/catalog.ts'
import type { Clock } from '../../core/clock.ts'
import type { Dialect } from '../../core/dialect.ts'
import { MINUTE_MS, SECOND_MS } from '../../core/duration.ts'
import type { ResendTrigger } from '../../core/policy.ts'
import { quotaExceeded } from '../../core/quotas.ts'
import type { DeliveryRecord, Replay, Webhook, Workspace } from '../../storage/rows.ts'
import type {
  AuditOf,
  ChangeParams,
  ChangeResult,
  EventToStore,
  ManualSendLimit,
  ManualSendResult,
  ReplayPosition,
  RetryWebhookResult,
  Storage,
  ToAudit,
} from '../../storage/storage.ts'
import type { By, EventToPublish, PublicIds, ReplayCount, ReplayInput, ReplayOutcome } from '../engine.ts'
import { type Note, toAudit } from './audit.ts'

/** Small replays are finished within this time. */
const REPLAY_RETRY_MS = 10 * SECOND_MS

/** Matches are counted in at most this many parts: those of a million deliveries. */
const MAX_COUNT_PARTS = 100

/**
 * Makes the deliveries of test events, redeliveries, retries and replays due in the store. The caller wakes the loops that send
 * them.
 */
export class ManualSends {
  readonly #storage: Pick<Storage, 'change' | 'log'>
  readonly #ids: PublicIds
  readonly #clock: Clock
  readonly #maxUnfinishedReplays: () => number
  /** The latest count of each workspace that is counting now. */
  readonly #counts = new Map<number, Promise<ReplayCount>>()
  readonly #makeRow: (dialect: Dialect, workspace: Workspace, event: EventToPublish) => Promise<EventToStore>

  constructor(params: {
    readonly storage: Pick<Storage, 'change' | 'log'>
    readonly ids: PublicIds
    readonly clock: Clock
    readonly maxUnfinishedReplays: () => number
    readonly makeRow: (dialect: Dialect, workspace: Workspace, event: EventToPublish) => Promise<EventToStore>
  }) {
    this.#storage = params.storage
    this.#ids = params.ids
    this.#clock = params.clock
    this.#maxUnfinishedReplays = params.maxUnfinishedReplays
    this.#makeRow = params.makeRow
  }

  /** @param type the type whose example is sent; the service's own test event has none */
  async test(
    dialect: Dialect,
    workspace: Workspace,
    webhook: Webhook,
    type: EventType,
    by: By,
  ): Promise<ManualSendResult> {
    const { testEvent } = dialect
    const event = await this.#makeRow(dialect, workspace, {
      type: type.type,
      broughtId: null,
      fingerprint: null,
      compose: (eventId, occurredAt) =>
        type.type === testEvent?.type
          ? testEvent.compose({
              eventId,
              webhookId: webhook.publicId,
              workspace,
              actorId: by.actor.id,
              occurredAt,
            })
          : dialect.exampleBody({ type, workspace, occurredAt, eventId }),
    })
    const note = this.#noteOf(workspace, by, {
      action: 'webhook.tested',
      target: { type: 'webhook', id: webhook.publicId },
      details: { event_type: type.type },
    })
    return this.#change('sendTest', by, note, (now) => ({
      event,
      webhookId: webhook.id,
      limit: manualSendLimit(dialect),
      now,
    }))
  }

  again(
    dialect: Dialect,
    workspace: Workspace,
    delivery: DeliveryRecord,
    trigger: ResendTrigger,
    by: By,
  ): Promise<ManualSendResult> {
    const note = this.#noteOf(workspace, by, {
      action: 'delivery.sent_again',
      target: { type: 'webhook', id: delivery.webhookPublicId },
      details: { delivery: this.#ids.delivery(workspace, delivery) },
    })
    return this.#change('resend', by, note, (now) => ({
      workspaceId: workspace.id,
      deliveryId: delivery.id,
      trigger,
      from: dialect.policy.resends[trigger].from,
      limit: manualSendLimit(dialect),
      now,
    }))
  }

  retryDelivery(
    dialect: Dialect,
    workspace: Workspace,
    delivery: DeliveryRecord,
    by: By,
  ): Promise<ManualSendResult> {
    const [workspaceId, deliveryId] = [workspace.id, delivery.id]
    const limit = manualSendLimit(dialect)
    const note = this.#noteOf(workspace, by, {
      action: 'delivery.retried',
      target: { type: 'webhook', id: delivery.webhookPublicId },
      details: { delivery: this.#ids.delivery(workspace, delivery) },
    })
    return this.#change('retryDelivery', by, note, (now) => ({ workspaceId, deliveryId, limit, now }))
  }

  retryWebhook(
    dialect: Dialect,
    workspace: Workspace,
    webhook: Webhook,
    by: By,
  ): Promise<RetryWebhookResult> {
    const [workspaceId, webhookId] = [workspace.id, webhook.id]
    const limit = manualSendLimit(dialect)
    const audit = toAudit(workspace, by, {
      action: 'webhook.retried',
      target: { type: 'webhook', id: webhook.publicId },
      details: {},
    })
    return this.#change('retryWebhook', by, audit, (now) => ({ workspaceId, webhookId, limit, now }))
  }

  /**
   * Counts of one workspace run one after another: however many are requested, the store works on one part of one at a time.
   * @param filter with an end time: later deliveries are not included
   */
  async countReplayable(workspace: Workspace, filter: ReplayInput, max: number): Promise<ReplayCount> {
    const before = this.#counts.get(workspace.id)
    const counting = Promise.allSettled([before]).then(() => this.#count(workspace, filter, max))
    this.#counts.set(workspace.id, counting)
    try {
      return await counting
    } finally {
      if (this.#counts.get(workspace.id) === counting) this.#counts.delete(workspace.id)
    }
  }

  async #count(workspace: Workspace, filter: ReplayInput, max: number): Promise<ReplayCount> {
    const { webhookId, statuses, eventTypes, from, to } = filter
    const now = this.#clock.now()
    let count = 0
    let after: ReplayPosition | null = null
    for (let parts = 0; parts < MAX_COUNT_PARTS && count < max; parts++) {
      const part = await this.#storage.log.countReplayable({
        workspaceId: workspace.id,
        webhookId,
        statuses,
        eventTypes,
        from,
        to,
        after,
        now,
      })
      count += part.count
      after = part.next
      if (after === null) break
    }
    return { count: Math.min(count, max), more: after !== null || count > max }
  }

  async startReplay(
    dialect: Dialect,
    workspace: Workspace,
    filter: ReplayInput,
    max: number,
    by: By,
  ): Promise<ReplayOutcome> {
    const { missedCount = null, webhookPublicId, ...asked } = filter
    const { count } = await this.countReplayable(workspace, filter, max)
    const total = count + (missedCount ?? 0)
    const now = this.#clock.now()
    const publicId = this.#ids.create(workspace.dialect, 'replay')
    const isRecovery = filter.trigger === 'recover'
    const { result } = await this.#storage.change({
      call: 'createReplay',
      params: {
        workspaceId: workspace.id,
        ...asked,
        missed: missedCount !== null,
        publicId,
        max,
        total,
        maxUnfinished: this.#maxUnfinishedReplays(),
        limit: isRecovery ? manualSendLimit(dialect) : null,
        now,
      },
      audit: toAudit(workspace, by, noteOfReplay(filter, publicId, total)),
      idempotency: idempotencyOf(by),
      now,
    })
    if (result.outcome !== 'full') return result
    const limit = this.#maxUnfinishedReplays()
    return quotaExceeded('unfinishedReplays', limit, limit, REPLAY_RETRY_MS)
  }

  async cancelReplay(
    workspace: Workspace,
    { publicId, webhookPublicId }: Replay,
    by: By,
  ): Promise<Replay | null> {
    const now = this.#clock.now()
    const { result } = await this.#storage.change({
      call: 'cancelReplay',
      params: { workspaceId: workspace.id, publicId, now },
      audit: toAudit(workspace, by, {
        action: 'recovery.canceled',
        target: recoveryTarget(publicId, webhookPublicId),
        details: { recovery: publicId },
      }),
      idempotency: idempotencyOf(by),
      now,
    })
    return result?.replay ?? null
  }

  /** The delivery log shows single sends of customers; sends by operators are audited. */
  #noteOf(workspace: Workspace, by: By, note: Note): ToAudit | null {
    return by.actor.type === 'operator' ? toAudit(workspace, by, note) : null
  }

  /** @param make the parameters of the call, for its time */
  async #change<V extends ManualSend>(
    call: V,
    by: By,
    audit: ToAudit | null,
    make: (now: number) => ChangeParams<V>,
  ): Promise<ChangeResult<V>> {
    const now = this.#clock.now()
    const params = make(now)
    const change = { call, params, audit: audit as AuditOf<V>, idempotency: idempotencyOf(by), now }
    return (await this.#storage.change<V>(change)).result
  }
}

type ManualSend = 'sendTest' | 'resend' | 'retryDelivery' | 'retryWebhook'

const idempotencyOf = ({ idempotency }: By) =>
  idempotency === null ? null : { ...idempotency, responseData: null, responseDataUntil: null }

/** @returns `null`: the dialect has no test event */
export function manualSendLimit({ limits }: Dialect): ManualSendLimit | null {
  const max = limits.manualSendsPerMinute
  return max === null ? null : { max, windowMs: MINUTE_MS }
}

function noteOfReplay({ trigger, webhookPublicId }: ReplayInput, publicId: string, deliveries: number): Note {
  if (trigger === 'recover') {
    const target = recoveryTarget(publicId, webhookPublicId)
    return { action: 'recovery.created', target, details: { deliveries, recovery: publicId } }
  }
  const details = { deliveries, ...(webhookPublicId === null ? {} : { webhook: webhookPublicId }) }
  return { action: 'replay.created', target: { type: 'replay', id: publicId }, details }
}

/** A recovery is in the log of its webhook, unless the webhook was deleted. */
const recoveryTarget = (publicId: string, webhookPublicId: string | null): Note['target'] =>
  webhookPublicId === null ? { type: 'recovery', id: publicId } : { type: 'webhook', id: webhookPublicId }
