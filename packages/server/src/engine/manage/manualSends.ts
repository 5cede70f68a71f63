import type { Clock } from '../../core/clock.ts'
import type { Dialect } from '../../core/dialect.ts'
import { MINUTE_MS, SECOND_MS } from '../../core/duration.ts'
import type { ResendTrigger } from '../../core/policy.ts'
import { quotaExceeded } from '../../core/quotas.ts'
import type { DeliveryRecord, Webhook, Workspace } from '../../storage/rows.ts'
import type {
  EventToStore,
  ManualSendLimit,
  ManualSendResult,
  ReplayFilter,
  Storage,
} from '../../storage/storage.ts'
import type { By, EventToPublish, PublicIds, ReplayOutcome } from '../engine.ts'
import { toAudit } from './audit.ts'

/** Small replays are finished within this time. */
const REPLAY_RETRY_MS = 10 * SECOND_MS

/** Makes the deliveries of test events, redeliveries and replays due in the store. The caller wakes the claimer. */
export class ManualSends {
  readonly #storage: Pick<Storage, 'change' | 'log'>
  readonly #ids: PublicIds
  readonly #clock: Clock
  readonly #maxUnfinishedReplays: number
  readonly #makeRow: (dialect: Dialect, workspace: Workspace, event: EventToPublish) => Promise<EventToStore>

  constructor(params: {
    readonly storage: Pick<Storage, 'change' | 'log'>
    readonly ids: PublicIds
    readonly clock: Clock
    readonly maxUnfinishedReplays: number
    readonly makeRow: (dialect: Dialect, workspace: Workspace, event: EventToPublish) => Promise<EventToStore>
  }) {
    this.#storage = params.storage
    this.#ids = params.ids
    this.#clock = params.clock
    this.#maxUnfinishedReplays = params.maxUnfinishedReplays
    this.#makeRow = params.makeRow
  }

  async test(dialect: Dialect, workspace: Workspace, webhook: Webhook, by: By): Promise<ManualSendResult> {
    const { testEvent } = dialect
    if (testEvent === null) throw new Error(`the dialect ${dialect.name} has no test event`)
    const event = await this.#makeRow(dialect, workspace, {
      type: testEvent.type,
      broughtId: null,
      fingerprint: null,
      compose: (eventId, occurredAt) =>
        testEvent.compose({
          eventId,
          webhookId: webhook.publicId,
          workspace,
          actorId: by.actor.id,
          occurredAt,
        }),
    })
    const now = this.#clock.now()
    const { result } = await this.#storage.change({
      verb: 'sendTest',
      params: { event, webhookId: webhook.id, limit: manualSendLimit(dialect), now },
      audit: null,
      idempotency: idempotencyOf(by),
      now,
    })
    return result
  }

  async again(
    dialect: Dialect,
    workspace: Workspace,
    delivery: DeliveryRecord,
    trigger: ResendTrigger,
    by: By,
  ): Promise<ManualSendResult> {
    const now = this.#clock.now()
    const { result } = await this.#storage.change({
      verb: 'resend',
      params: {
        workspaceId: workspace.id,
        deliveryId: delivery.id,
        trigger,
        from: dialect.policy.resends[trigger].from,
        limit: manualSendLimit(dialect),
        now,
      },
      audit: null,
      idempotency: idempotencyOf(by),
      now,
    })
    return result
  }

  async startReplay(
    workspace: Workspace,
    filter: Omit<ReplayFilter, 'workspaceId'>,
    max: number,
    by: By,
  ): Promise<ReplayOutcome> {
    const now = this.#clock.now()
    const matching = { ...filter, workspaceId: workspace.id }
    const { count: total } = await this.#storage.log.countReplayable({ ...matching, max, now })
    const publicId = this.#ids.create(workspace.dialect, 'replay')
    const { result } = await this.#storage.change({
      verb: 'createReplay',
      params: { ...matching, publicId, max, total, maxUnfinished: this.#maxUnfinishedReplays, now },
      audit: toAudit(workspace, by, {
        action: 'replay.created',
        target: { type: 'replay', id: publicId },
        details: { deliveries: total },
      }),
      idempotency: idempotencyOf(by),
      now,
    })
    if (result !== null) return { outcome: 'created', replay: result }
    const limit = this.#maxUnfinishedReplays
    return quotaExceeded('unfinishedReplays', limit, limit, REPLAY_RETRY_MS)
  }
}

const idempotencyOf = ({ idempotency }: By) =>
  idempotency === null ? null : { ...idempotency, responseData: null, responseDataUntil: null }

/** @returns `null`: the dialect has none */
export function manualSendLimit({ limits }: Dialect): ManualSendLimit | null {
  const max = limits.manualSendsPerMinute
  return max === null ? null : { max, windowMs: MINUTE_MS }
}
