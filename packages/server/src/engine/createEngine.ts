import type { Dialect } from '../core/dialect.ts'
import { SECOND_MS } from '../core/duration.ts'
import { deriveId } from '../core/ids.ts'
import type { ResendTrigger } from '../core/policy.ts'
import { type WaitReason, whyPending } from '../core/waiting.ts'
import type { DeliveryRecord, Replay, Webhook, Workspace } from '../storage/rows.ts'
import type {
  ManualSendResult,
  PendingDelivery,
  QueueState,
  RetryWebhookResult,
  StoreOpenError,
  ToAudit,
} from '../storage/storage.ts'
import { rebuildRequest } from './attempt/sentRequests.ts'
import { CachedRead } from './cachedRead.ts'
import {
  type By,
  type ClockState,
  type EgressState,
  type Engine,
  type EngineLoad,
  type EventToPublish,
  type ReplayCount,
  type ReplayOutcome,
  StoppingError,
} from './engine.ts'
import type { PublishTrace } from './log/tracing.ts'
import { toAudit } from './manage/audit.ts'
import { type Backlog, BacklogEstimator } from './manage/backlogEstimator.ts'
import { ChangeQuota } from './manage/changeQuota.ts'
import { ManualSends } from './manage/manualSends.ts'
import { createPublicIds, dialectOf } from './manage/publicIds.ts'
import { WebhookEditor } from './manage/webhookEditor.ts'
import { Pipeline, type PipelineParams } from './pipeline.ts'
import { EventIds } from './publish/eventIds.ts'
import { makeEventRows } from './publish/eventRows.ts'

export type EngineParams = Omit<PipelineParams, 'formatIds' | 'onRefused'>

export function createEngine(params: EngineParams): Engine {
  return new DeliveryEngine(params)
}

class DeliveryEngine implements Engine {
  readonly ids: Engine['ids']
  readonly refused: Engine['refused']
  readonly #params: EngineParams
  readonly #eventIds: EventIds
  readonly #changeQuota: ChangeQuota
  readonly #pipeline: Pipeline
  readonly #editor: WebhookEditor
  readonly #sends: ManualSends
  readonly #backlogEstimator: BacklogEstimator
  /** Shared by all callers: a check writes to the disk, and anyone may call `/readyz`. */
  readonly #storeCheck: CachedRead<void>
  #stopAnnounced = false
  #stopped: Promise<void> | null = null

  constructor(params: EngineParams) {
    this.#params = params
    this.ids = createPublicIds(params)
    this.#eventIds = new EventIds(params.storage)
    this.#changeQuota = new ChangeQuota(() => params.quotas.changesPerMinute, params.clock)
    const { storage, clock, secretBox } = params
    const { idKey } = storage
    const { ids } = this
    this.#storeCheck = new CachedRead(clock, () => storage.check(), SECOND_MS)
    this.#backlogEstimator = new BacklogEstimator({
      storage,
      clock,
      slots: params.limits.maxInFlightPerWebhook,
    })
    this.#editor = new WebhookEditor({ storage, clock, secretBox, ids })
    this.#sends = new ManualSends({
      storage,
      clock,
      ids,
      maxUnfinishedReplays: () => params.quotas.unfinishedReplays,
      makeRow: async (dialect, workspace, event) =>
        (await this.#makeRows(dialect, workspace, [event], null)).rows[0]!,
    })
    let onRefused: (error: StoreOpenError) => void = () => {}
    this.refused = new Promise((resolve) => {
      onRefused = resolve
    })
    this.#pipeline = new Pipeline({
      ...params,
      onRefused,
      formatIds: {
        event: (dialect, { eventId, eventPublicId, createdAt }) =>
          eventPublicId ?? this.#eventIds.format(dialect, { rowId: eventId, createdAt }),
        delivery: (dialect, { id, createdAt }) =>
          dialect.ids.delivery.format(deriveId('delivery', { rowId: id, createdAt }, idKey)),
      },
    })
  }

  get leaseValid(): boolean {
    return this.#pipeline.leaseValid
  }

  queue(): Promise<QueueState> {
    return this.#pipeline.queue.current()
  }

  backlogOf(webhook: Webhook): Promise<Backlog | null> {
    return this.#backlogEstimator.of(webhook)
  }

  whyPending(pending: PendingDelivery): WaitReason {
    const { dialects, clock } = this.#params
    // The retry schedule of a removed service is unknown.
    const policy = dialects.get(pending.dialect)?.policy ?? { waitsMs: [], jitter: 0 }
    const sendingHeld = this.egress.allHeldSince !== null || this.waitsForSender(pending.webhookId)
    return whyPending(pending, policy, sendingHeld, clock.now())
  }

  get load(): EngineLoad {
    return this.#pipeline.load
  }

  get clock(): ClockState {
    return this.#pipeline.clockWatch
  }

  get egress(): EgressState {
    return this.#pipeline.egress
  }

  profilesChanged(): void {
    this.#pipeline.profilesChanged()
  }

  waitsForSender(webhookId: number): boolean {
    return this.#pipeline.waitsForSender(webhookId)
  }

  get nodeId(): number {
    return this.#pipeline.nodeId
  }

  start(): Promise<void> {
    return this.#pipeline.start()
  }

  announceStop(): void {
    this.#stopAnnounced = true
  }

  get stopping(): boolean {
    return this.#stopAnnounced || this.#stopped !== null
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#pipeline.stop()
    return this.#stopped
  }

  async check(): Promise<void> {
    if (this.stopping) throw stoppingError()
    if (!this.#pipeline.leaseValid) throw new Error('this node has no valid lease')
    await this.#storeCheck.current()
  }

  quotaExceeded(workspace: Workspace) {
    return this.#pipeline.quotaExceeded(workspace.id)
  }

  async publish(...[workspace, events, idempotency, trace = null]: Parameters<Engine['publish']>) {
    this.#refuseWhileStopping()
    const dialect = this.#dialectOf(workspace)
    const exceeded = this.quotaExceeded(workspace)
    if (exceeded !== null) return exceeded
    const rows = await this.#makeRows(dialect, workspace, events, trace)
    return this.#pipeline.publish(dialect, rows, idempotency)
  }

  async createWebhook(input: Parameters<Engine['createWebhook']>[0], by: By) {
    this.acceptChange(input.workspace, by)
    return this.#editor.create(this.#dialectOf(input.workspace), input, by)
  }

  async updateWebhook(...args: Parameters<Engine['updateWebhook']>) {
    const [workspace, webhook, , , by] = args
    this.acceptChange(workspace, by)
    return this.#change(webhook.id, () => this.#editor.update(this.#dialectOf(workspace), ...args))
  }

  async deleteWebhook(...args: Parameters<Engine['deleteWebhook']>) {
    const [workspace, webhook, , by] = args
    this.acceptChange(workspace, by)
    return this.#change(webhook.id, () => this.#editor.delete(...args))
  }

  async rotateSecret(...args: Parameters<Engine['rotateSecret']>) {
    const [workspace, webhook, , by] = args
    this.acceptChange(workspace, by)
    return this.#change(webhook.id, () => this.#editor.rotate(this.#dialectOf(workspace), ...args))
  }

  async suspendWorkspace(workspace: Workspace, suspended: boolean, by: By): Promise<void> {
    this.#refuseWhileStopping()
    const now = this.#params.clock.now()
    const { result } = await this.#params.storage.change({
      call: 'suspendWorkspace',
      params: { workspaceId: workspace.id, suspended, now },
      audit: noteOf(workspace, by, suspended ? 'workspace.suspended' : 'workspace.resumed'),
      idempotency: null,
      now,
    })
    for (const webhookId of result ?? []) this.#pipeline.webhookChanged(webhookId)
  }

  async deleteWorkspace(workspace: Workspace, by: By): Promise<void> {
    this.#refuseWhileStopping()
    const now = this.#params.clock.now()
    const { result } = await this.#params.storage.change({
      call: 'deleteWorkspace',
      params: { workspaceId: workspace.id, now },
      audit: noteOf(workspace, by, 'workspace.deleted'),
      idempotency: null,
      now,
    })
    for (const webhookId of result ?? []) this.#pipeline.webhookChanged(webhookId)
  }

  async sendTest(...args: Parameters<Engine['sendTest']>): Promise<ManualSendResult> {
    const [workspace, , , by] = args
    this.acceptChange(workspace, by)
    return this.#send(() => this.#sends.test(this.#dialectOf(workspace), ...args))
  }

  redeliver(workspace: Workspace, delivery: DeliveryRecord, by: By): Promise<ManualSendResult> {
    return this.#sendAgain(workspace, delivery, 'redeliver', by)
  }

  replay(workspace: Workspace, delivery: DeliveryRecord, by: By): Promise<ManualSendResult> {
    return this.#sendAgain(workspace, delivery, 'replay', by)
  }

  async #sendAgain(workspace: Workspace, delivery: DeliveryRecord, trigger: ResendTrigger, by: By) {
    this.acceptChange(workspace, by)
    return this.#send(() => this.#sends.again(this.#dialectOf(workspace), workspace, delivery, trigger, by))
  }

  async retryDelivery(workspace: Workspace, delivery: DeliveryRecord, by: By): Promise<ManualSendResult> {
    this.acceptChange(workspace, by)
    return this.#send(() => this.#sends.retryDelivery(this.#dialectOf(workspace), workspace, delivery, by))
  }

  async retryWebhook(workspace: Workspace, webhook: Webhook, by: By): Promise<RetryWebhookResult> {
    this.acceptChange(workspace, by)
    const result = await this.#sends.retryWebhook(this.#dialectOf(workspace), workspace, webhook, by)
    if (result.outcome === 'accepted') this.#pipeline.retryAsked()
    return result
  }

  countReplayable(...args: Parameters<Engine['countReplayable']>): Promise<ReplayCount> {
    return this.#sends.countReplayable(...args)
  }

  async startReplay(...args: Parameters<Engine['startReplay']>): Promise<ReplayOutcome> {
    const [workspace, , , by] = args
    this.acceptChange(workspace, by)
    const outcome = await this.#sends.startReplay(this.#dialectOf(workspace), ...args)
    if (outcome.outcome === 'created') this.#pipeline.replayCreated()
    return outcome
  }

  async cancelReplay(workspace: Workspace, replay: Replay, by: By): Promise<Replay | null> {
    this.acceptChange(workspace, by)
    return this.#sends.cancelReplay(workspace, replay, by)
  }

  async sentRequests(workspace: Workspace, delivery: DeliveryRecord) {
    const { storage, secretBox } = this.#params
    const { id: deliveryId, webhookPublicId, eventId, broughtEventId, createdAt } = delivery
    const sent = await storage.log.getSentRequests({ workspaceId: workspace.id, deliveryId })
    const ids = {
      eventId: this.ids.event(workspace, { id: eventId, broughtId: broughtEventId, createdAt }),
      deliveryId: this.ids.delivery(workspace, delivery),
    }
    const rebuilt = sent.map(async (request) => {
      const dialect = await this.#dialectAt(workspace, request.profileVersion)
      const of = { dialect, secretBox, webhookPublicId, workspaceSlug: workspace.slug }
      return rebuildRequest({ ...of, ...ids, sent: request })
    })
    return Promise.all(rebuilt)
  }

  /** @throws StoppingError, QuotaExceededError */
  acceptChange(workspace: Workspace, by: By): void {
    this.#refuseWhileStopping()
    this.#changeQuota.use(workspace, by)
  }

  async #send(send: () => Promise<ManualSendResult>): Promise<ManualSendResult> {
    const result = await send()
    if (result.outcome === 'accepted') this.#pipeline.wake()
    return result
  }

  async #change<T>(webhookId: number, change: () => Promise<T>): Promise<T> {
    const result = await change()
    this.#pipeline.webhookChanged(webhookId)
    return result
  }

  #makeRows(dialect: Dialect, workspace: Workspace, events: EventToPublish[], trace: PublishTrace | null) {
    const { clock } = this.#params
    return makeEventRows({ eventIds: this.#eventIds, clock, dialect, workspace, events, trace })
  }

  #dialectOf(workspace: Workspace): Dialect {
    return dialectOf(this.#params.dialects, workspace.dialect)
  }

  /** The profile under which something was sent, or the present one if that version is no longer kept. */
  async #dialectAt(workspace: Workspace, version: number): Promise<Dialect> {
    const now = this.#dialectOf(workspace)
    if (now.version === version) return now
    return (await this.#params.dialectAt(now.name, version)) ?? now
  }

  #refuseWhileStopping(): void {
    if (this.#stopped !== null) throw stoppingError()
  }
}

const stoppingError = () => new StoppingError('this node is stopping')

function noteOf(workspace: Workspace, by: By, action: ToAudit['action']): ToAudit {
  return toAudit(workspace, by, {
    action,
    target: { type: 'workspace', id: workspace.publicId },
    details: {},
  })
}
