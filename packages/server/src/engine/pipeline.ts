import type { Clock } from '../core/clock.ts'
import type { Dialect, Dialects } from '../core/dialect.ts'
import { longestWaitMs } from '../core/policy.ts'
import type { QuotaExceeded, Quotas } from '../core/quotas.ts'
import type { LeasedDelivery, WebhookRef } from '../storage/rows.ts'
import type { AttemptToRecord, RecordResult, Storage, StoreOpenError } from '../storage/storage.ts'
import { Dispatcher } from './attempt/dispatcher.ts'
import { Recorder } from './attempt/recorder.ts'
import type { Sender } from './attempt/sender.ts'
import { Targets } from './attempt/targets.ts'
import type { EngineLoad, OnceKey, PublishOutcome } from './engine.ts'
import type { FailureLog } from './log/failureLog.ts'
import type { Logger } from './log/logger.ts'
import type { EngineObserver } from './log/observer.ts'
import type { Warnings } from './log/warnings.ts'
import type { Loop } from './loop.ts'
import { type ClockLimits, ClockWatch } from './maintenance/clockWatch.ts'
import { createFolder, createQueueSampler, QueueWatch } from './maintenance/figures.ts'
import {
  createCanceler,
  createPullIn,
  createReplayer,
  createRescuer,
  createRetention,
} from './maintenance/loops.ts'
import { NodeLease } from './maintenance/nodeLease.ts'
import type { EventRows } from './publish/eventRows.ts'
import { createFanoutLoop } from './publish/fanout.ts'
import { Publisher } from './publish/publisher.ts'
import { PublishQuotas } from './publish/publishQuotas.ts'
import { Claimer } from './schedule/claimer.ts'
import { MemoryBudget } from './schedule/memoryBudget.ts'
import { Releaser } from './schedule/releaser.ts'
import { SendQueue, type SendQueueLimits } from './schedule/sendQueue.ts'
import type { SecretBox } from './secretBox.ts'

export interface PipelineParams {
  readonly storage: Storage
  readonly dialects: Dialects
  /** One for each dialect: they differ in their deadlines. */
  readonly senders: ReadonlyMap<string, Sender>
  readonly secretBox: SecretBox
  readonly clock: Clock
  /** In [0, 1); decides the jitter of waits. */
  readonly random: () => number
  readonly log: Logger
  readonly failureLog: FailureLog
  readonly observer: EngineObserver
  readonly limits: SendQueueLimits
  readonly quotas: Quotas
  readonly retentionMs: number
  /** This machine's own clock. */
  readonly machineClock: Pick<Clock, 'now'>
  readonly clockLimits: ClockLimits
  readonly warnings: Warnings
  /** How long the others wait before they take over what a silent node holds. */
  readonly leaseMs: number
  /** Called when the store has kept something that people are to be told by e-mail. */
  readonly onNotified: () => void
  /** Called when the store is no longer one that this program can work on. */
  readonly onRefused: (error: StoreOpenError) => void
  readonly formatIds: {
    readonly event: (dialect: Dialect, delivery: LeasedDelivery) => string
    readonly delivery: (dialect: Dialect, delivery: LeasedDelivery) => string
  }
}

/** As the log calls it. */
const LOOK = 'look for changes by other nodes'
/** Attempts in flight get this long to finish at a stop; the whole stop must fit into 20 s. */
const STOP_PATIENCE_MS = 16_000

/** Everything a delivery passes through, put together: publish, queue, send, record, claim again, clean up. */
export class Pipeline {
  readonly #params: PipelineParams
  readonly #queue: SendQueue
  readonly #budget: MemoryBudget
  readonly #lease: NodeLease
  readonly #targets: Targets
  readonly #recorder: Recorder
  readonly #releaser: Releaser
  readonly #claimer: Claimer
  readonly #dispatcher: Dispatcher
  readonly #publisher: Publisher
  readonly #quotas: PublishQuotas
  readonly #canceler: Loop
  readonly #replayer: Loop
  readonly #fanout: Loop
  readonly #loops: readonly Loop[]
  /** How the queue of the whole store stands. */
  readonly queue: QueueWatch
  readonly clockWatch: ClockWatch

  constructor(params: PipelineParams) {
    const { storage, clock, log, failureLog, observer, leaseMs } = params
    const nodeId = () => this.#lease.nodeId
    const held = () => this.#lease.held
    this.#params = params
    this.#queue = new SendQueue({
      limits: params.limits,
      hangMs: Math.max(...[...params.dialects.values()].map(({ policy }) => policy.timeoutMs)),
      clock,
      hasBacklog: (webhookId) => this.#claimer.hasBacklog(webhookId),
    })
    this.#budget = new MemoryBudget(this.#queue)
    this.#lease = new NodeLease({
      storage,
      clock,
      log,
      failureLog,
      leaseMs,
      onHeld: () => this.#resume(),
      onLost: () => this.#leaseLost(),
      onRefused: params.onRefused,
    })
    this.#targets = new Targets({
      ...params,
      failureLog,
      onLoaded: (webhookIds) => this.#dispatcher.targetsLoaded(webhookIds),
    })
    this.#recorder = new Recorder({
      storage,
      clock,
      failureLog,
      nodeId,
      clockWatch: () => this.clockWatch,
      onRecorded: (result, attempts) => this.#recorded(result, attempts),
    })
    this.#releaser = new Releaser({
      storage,
      clock,
      failureLog,
      nodeId,
      // A claim may have come in between.
      onReleased: (webhooks) => this.#claimer.putOff(webhooks),
    })
    this.#claimer = new Claimer({
      storage,
      clock,
      failureLog,
      budget: this.#budget,
      nodeId,
      held,
      onClaimed: (deliveries) => this.#enqueue(deliveries, (webhook) => this.#budget.admitsClaimed(webhook)),
    })
    this.#dispatcher = new Dispatcher({
      clock,
      random: params.random,
      log,
      queue: this.#queue,
      targets: this.#targets,
      recorder: this.#recorder,
      observer,
      senderOf: (dialect) => params.senders.get(dialect.name)!,
      formatIds: params.formatIds,
      maySend: held,
      onTaken: (webhook) => this.#claimer.roomFreed(webhook, this.#queue.waitingOf(webhook.webhookId)),
      giveBack: (webhook, deliveries, unsendable) => {
        if (unsendable) this.#claimer.setUnsendable(webhook)
        this.#releaser.add(deliveries)
      },
    })
    this.#publisher = new Publisher({
      storage,
      clock,
      budget: this.#budget,
      claimer: this.#claimer,
      nodeId,
      maxFanout: params.quotas.uncreatedDeliveries,
      onPublished: (dialect, events, deliveries) => {
        observer.published(dialect.name, events.length, deliveries)
        if (events.length > 0) this.#quotas.addPending(events[0]!.workspaceId, deliveries)
      },
      onLate: () => this.#fanout.wake(),
      onLeased: (deliveries) => this.#enqueue(deliveries, (webhook) => this.#budget.admits(webhook)),
    })
    this.#quotas = new PublishQuotas({ quotas: params.quotas, storage, clock, failureLog })
    this.queue = new QueueWatch({ storage, clock })
    this.#canceler = createCanceler({ storage, clock, failureLog })
    this.#replayer = createReplayer({ storage, clock, failureLog, onReplayed: () => this.#claimer.wake() })
    this.#fanout = createFanoutLoop({
      storage,
      clock,
      failureLog,
      onMade: (workspaceIds) => this.#claimer.deliveriesMade(workspaceIds),
    })
    const pullIn = createPullIn({
      storage,
      clock,
      log,
      failureLog,
      longestWaitMs: Math.max(...[...params.dialects.values()].map(({ policy }) => longestWaitMs(policy))),
      onPulledIn: (deliveries) => {
        observer.pulledIn(deliveries)
        this.#claimer.wake()
      },
    })
    const retention = createRetention({
      storage,
      clock,
      log,
      failureLog,
      retentionMs: params.retentionMs,
      mayDelete: () => this.clockWatch.steady,
      onExpired: (deliveries) => observer.expired(deliveries),
    })
    this.clockWatch = new ClockWatch({
      ...params,
      limits: params.clockLimits,
      onLeap: () => {
        pullIn.wake()
        this.#claimer.wake()
      },
      onSteady: () => retention.wake(),
    })
    this.#loops = [
      this.#canceler,
      this.#replayer,
      this.#fanout,
      createRescuer({
        storage,
        clock,
        log,
        failureLog,
        nodeId,
        leaseMs,
        onRescued: (deliveries) => {
          observer.tookOver(deliveries)
          this.#claimer.wake()
        },
      }),
      pullIn,
      retention,
      createFolder({ storage, clock, failureLog }),
      createQueueSampler({ storage, clock, failureLog, queue: this.queue }),
    ]
  }

  async start(): Promise<void> {
    const { storage, failureLog } = this.#params
    await this.#lease.start()
    await this.clockWatch.start()
    storage.onWebhooksChanged(
      (webhookIds) => {
        for (const id of webhookIds) this.webhookChanged(id)
      },
      (error) => (error === null ? failureLog.worked(LOOK) : failureLog.failed(LOOK, error)),
    )
    this.#releaser.start()
    this.#claimer.start()
    for (const loop of this.#loops) loop.start()
  }

  async stop(): Promise<void> {
    this.queue.stop()
    await Promise.all([
      this.#publisher.drain(),
      this.#quotas.stop(),
      this.#claimer.stop(),
      this.clockWatch.stop(),
      ...this.#loops.map((loop) => loop.stop()),
    ])
    await this.#dispatcher.stop(STOP_PATIENCE_MS)
    if (!(await this.#recorder.drain())) {
      const attempts = this.#recorder.backlog
      this.#params.log.error({ attempts }, 'stopped with unrecorded attempts; they will be made again')
    }
    await this.#releaser.stop()
    await this.#lease.stop()
    await Promise.all([...this.#params.senders.values()].map((sender) => sender.destroy()))
  }

  get nodeId(): number {
    return this.#lease.nodeId
  }

  /** Whether this node may take and send deliveries now. */
  get held(): boolean {
    return this.#lease.held
  }

  get load(): EngineLoad {
    return { inFlight: this.#queue.inFlight, waiting: this.#queue.size }
  }

  /** The quota that forbids a workspace to publish now; `null`: none does. */
  quotaExceeded(workspaceId: number): QuotaExceeded | null {
    return this.#quotas.exceeded(workspaceId)
  }

  async publish(dialect: Dialect, events: EventRows, once: OnceKey | null): Promise<PublishOutcome> {
    const exceeded = this.#quotas.admit(events.rows)
    if (exceeded !== null) return exceeded
    try {
      const outcome = await this.#publisher.publish(dialect, events, once)
      if (outcome.outcome === 'quota_exceeded') this.#quotas.giveBack(events.rows)
      return outcome
    } catch (error) {
      this.#quotas.giveBack(events.rows)
      throw error
    }
  }

  /** The store has changed a webhook: nothing more may be sent under what was known of it. */
  webhookChanged(webhookId: number): void {
    this.#targets.forget(webhookId)
    this.#claimer.setSendable(webhookId)
    this.#claimer.wake()
    this.#canceler.wake()
  }

  /** The store holds a delivery that is due now. */
  wake(): void {
    this.#claimer.wake()
  }

  /** The store holds a replay to carry out. */
  replayAsked(): void {
    this.#replayer.wake()
  }

  #enqueue(deliveries: readonly LeasedDelivery[], admits: (webhook: WebhookRef) => boolean): void {
    const refused: LeasedDelivery[] = []
    for (const delivery of deliveries) {
      if (admits(delivery)) this.#queue.add(delivery)
      else refused.push(delivery)
    }
    if (refused.length > 0) {
      this.#claimer.putOff(refused)
      this.#releaser.add(refused)
    }
    this.#dispatcher.pump()
  }

  #resume(): void {
    this.#dispatcher.pump()
    this.#claimer.wake()
  }

  #leaseLost(): void {
    this.#dispatcher.dropAll()
    this.#claimer.wake()
  }

  #recorded(result: RecordResult, attempts: readonly AttemptToRecord[]): void {
    const { log, observer } = this.#params
    let nextDueAt = Number.POSITIVE_INFINITY
    for (const { next, signal, webhookId } of attempts) {
      if (next.status === 'pending') nextDueAt = Math.min(nextDueAt, next.nextAttemptAt)
      // Held by the dispatcher until now; from here on the store knows whether it is off.
      if (signal === 'gone') {
        this.#dispatcher.letGo(webhookId)
        this.#claimer.setSendable(webhookId)
      }
    }
    if (nextDueAt !== Number.POSITIVE_INFINITY) this.#claimer.wake(nextDueAt)
    for (const { webhookId } of result.switchedOff) this.webhookChanged(webhookId)
    for (const { kind, data } of result.notifications) {
      // Not all of it: a target often carries a token.
      const { webhook_public_id: webhook, reason, failing_since } = data
      log.warn(
        { notification: kind, webhook, reason, failing_since },
        kind === 'webhook_off' ? 'webhook switched off' : 'webhook keeps failing',
      )
    }
    if (result.notifications.length > 0) this.#params.onNotified()
    if (result.lost.length > 0) {
      log.warn(
        { deliveries: result.lost.length },
        'attempts ended after their lease; another node decides about them',
      )
    }
    observer.recorded(attempts.length)
    this.#dispatcher.pump()
  }
}
