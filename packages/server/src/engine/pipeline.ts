import type { Clock } from '../core/clock.ts'
import type { Dialect, Dialects } from '../core/dialect.ts'
import { type DeliveryPolicy, longestWaitMs } from '../core/policy.ts'
import type { QuotaExceeded, Quotas } from '../core/quotas.ts'
import type { LeasedDelivery } from '../storage/rows.ts'
import type { Storage, StoreOpenError } from '../storage/storage.ts'
import { Dispatcher } from './attempt/dispatcher.ts'
import { Recorder } from './attempt/recorder.ts'
import type { Senders } from './attempt/senders.ts'
import { TargetLoader } from './attempt/targetLoader.ts'
import { WayOut } from './breaker/wayOut.ts'
import type { EgressAgent, Target } from './egress/index.ts'
import type { EgressState, EngineLoad, IdempotencyKey, PublishOutcome } from './engine.ts'
import type { FailureLog } from './log/failureLog.ts'
import type { Logger } from './log/logger.ts'
import type { EngineObserver } from './log/observer.ts'
import type { Tracing } from './log/tracing.ts'
import type { Warnings } from './log/warnings.ts'
import type { Loop } from './loop.ts'
import { type ClockLimits, ClockWatch } from './maintenance/clockWatch.ts'
import {
  createCanceler,
  createPullIn,
  createReplayer,
  createRescuer,
  createRetention,
  createRetrier,
} from './maintenance/loops.ts'
import { NodeLease } from './maintenance/nodeLease.ts'
import { createResealer } from './maintenance/resealer.ts'
import { SearchIndexer } from './maintenance/searchIndexer.ts'
import { createQueueSampler, createStatsRollup } from './maintenance/stats.ts'
import { QueueWatch } from './maintenance/watches.ts'
import type { EventRows } from './publish/eventRows.ts'
import { createFanoutLoop } from './publish/fanout.ts'
import { Publisher } from './publish/publisher.ts'
import { PublishQuotas } from './publish/publishQuotas.ts'
import { Claimer } from './schedule/claimer.ts'
import { type LaneLimits, Lanes } from './schedule/lanes.ts'
import { Releaser } from './schedule/releaser.ts'
import { WebhookChanges } from './schedule/webhookChanges.ts'
import type { SecretBox } from './secretBox.ts'

/** What the engine needs of the store. */
type EngineStorage = Pick<
  Storage,
  | 'nodes'
  | 'masterKeys'
  | 'sending'
  | 'maintenance'
  | 'egress'
  | 'webhooks'
  | 'log'
  | 'stats'
  | 'change'
  | 'check'
  | 'idKey'
  | 'onWebhooksChanged'
>

export interface PipelineParams {
  readonly storage: EngineStorage
  readonly dialects: Dialects
  /** An earlier version of a profile; `null`: it is not kept. */
  readonly dialectAt: (name: string, version: number) => Promise<Dialect | null>
  readonly senders: Pick<Senders, 'of' | 'destroy'>
  /** Makes connections the way senders do, to find out whether our network works. */
  readonly prober: Pick<EgressAgent, 'probe' | 'destroy'>
  /** A target that answers when our network works, whatever receivers do; `null`: none is set. */
  readonly egressProbe: Target | null
  readonly secretBox: SecretBox
  readonly clock: Clock
  /** In [0, 1); decides the jitter of waits. */
  readonly random: () => number
  readonly log: Logger
  readonly failureLog: FailureLog
  readonly observer: EngineObserver
  /** `null`: nothing is traced. */
  readonly tracing: Tracing | null
  readonly limits: LaneLimits
  readonly quotas: Quotas
  readonly retentionMs: number
  /** This machine's own clock. */
  readonly machineClock: Pick<Clock, 'now'>
  readonly clockLimits: ClockLimits
  readonly warnings: Warnings
  /** Lease duration. When it expires, other nodes take over this node's deliveries. */
  readonly leaseMs: number
  /** Called when the store has a new notification to send by e-mail. */
  readonly onNotified: () => void
  /** Called when this program can no longer work with the store. */
  readonly onRefused: (error: StoreOpenError) => void
  readonly formatIds: {
    readonly event: (dialect: Dialect, delivery: LeasedDelivery) => string
    readonly delivery: (dialect: Dialect, delivery: LeasedDelivery) => string
  }
}

/** Its name in the log. */
const WEBHOOK_CHANGES = 'look for changes by other nodes'
/** Attempts in flight get this long to finish at a stop; the whole stop must fit into 20 s. */
const STOP_PATIENCE_MS = 16_000

/**
 * The path of a delivery: a publisher or the claimer adds it to its lane, the dispatcher takes it from there and makes the
 * attempt, the recorder writes the result and reports to the lane.
 */
export class Pipeline {
  readonly #params: PipelineParams
  readonly #lanes: Lanes
  readonly #lease: NodeLease
  readonly #recorder: Recorder
  readonly #releaser: Releaser
  readonly #claimer: Claimer
  readonly #dispatcher: Dispatcher
  readonly #publisher: Publisher
  readonly #quotas: PublishQuotas
  readonly #webhookChanges: WebhookChanges
  readonly #replayer: Loop
  readonly #retrier: Loop
  readonly #loops: readonly Pick<Loop, 'start' | 'stop'>[]
  readonly #wayOut: WayOut
  /** Counts the whole store's queue. */
  readonly queue: QueueWatch
  readonly clockWatch: ClockWatch
  readonly egress: EgressState

  constructor(params: PipelineParams) {
    this.#params = params
    const { storage, clock, log, failureLog, observer, tracing } = params
    const { leaseMs, dialects, quotas, random, warnings } = params
    const common = { clock, log, failureLog, observer, tracing, random, warnings }
    const sending = { ...common, storage: storage.sending }
    const maintenance = { ...common, storage: storage.maintenance }
    const longest = (ofPolicy: (policy: DeliveryPolicy) => number) => () =>
      Math.max(0, ...[...dialects.values()].map(({ policy }) => ofPolicy(policy)))
    const lanes = new Lanes({
      limits: params.limits,
      hangMs: longest(({ timeoutMs }) => timeoutMs),
      clock,
    })
    const lease = new NodeLease({
      ...common,
      storage: storage.nodes,
      leaseMs,
      keys: params.secretBox,
      onValidAgain: () => this.#resume(),
      onLost: () => this.#leaseLost(),
      onRefused: params.onRefused,
    })
    const releaser = new Releaser({ ...sending, lanes, lease })
    const claimer = new Claimer({ ...sending, lanes, releaser, lease })
    const canceler = createCanceler(maintenance)
    const replayer = createReplayer({ ...maintenance, claimer })
    const retrier = createRetrier({
      ...maintenance,
      claimer,
      places: params.limits.maxInFlightPerWebhook,
    })
    const fanout = createFanoutLoop({ ...maintenance, claimer })
    const pullIn = createPullIn({ ...maintenance, claimer, longestWaitMs: longest(longestWaitMs) })
    const clockWatch = new ClockWatch({
      ...params,
      storage: storage.maintenance,
      limits: params.clockLimits,
      onLeap: () => {
        pullIn.wake()
        claimer.wake()
      },
      onSteady: () => retention.wake(),
    })
    const retention = createRetention({
      ...maintenance,
      retentionMs: params.retentionMs,
      mayDelete: () => clockWatch.steady,
    })
    this.queue = new QueueWatch(maintenance)
    this.#wayOut = new WayOut({
      ...common,
      storage: storage.egress,
      clockWatch,
      prober: params.prober,
      operatorsTarget: params.egressProbe,
      countDue: async () => (await this.queue.current()).due,
      slots: params.limits.maxInFlight,
      onSlots: (slots) => lanes.setSlots(slots),
      onHeld: () => releaser.add(lanes.hold()),
      onAbort: (connectionsMayStand) => this.#dispatcher.abortInFlight(connectionsMayStand),
      onOpen: () => {
        lanes.resume()
        claimer.wake()
      },
    })
    this.#webhookChanges = new WebhookChanges({ lanes, claimer, canceler })
    this.#quotas = new PublishQuotas({ ...sending, quotas })
    const searchIndexer = new SearchIndexer({ ...maintenance, dialects, lanes })
    this.#publisher = new Publisher({
      ...common,
      storage,
      searchIndexer,
      quotas: this.#quotas,
      lanes,
      claimer,
      releaser,
      fanout,
      lease,
      maxFanout: () => quotas.uncreatedDeliveries,
    })
    this.#recorder = new Recorder({
      ...sending,
      lease,
      clockWatch,
      openNotes: this.#wayOut.notes,
      lanes,
      claimer,
      webhookChanges: this.#webhookChanges,
      onNotified: params.onNotified,
      onRetried: () => retrier.wake(),
    })
    this.#dispatcher = new Dispatcher({
      ...common,
      lanes,
      targetLoader: new TargetLoader({ ...params, storage: storage.sending, lanes, claimer }),
      claimer,
      breaker: this.#wayOut.breaker,
      recorder: this.#recorder,
      senderOf: (dialect) => params.senders.of(dialect),
      formatIds: params.formatIds,
      lease,
    })
    this.egress = this.#wayOut.breaker
    this.#lanes = lanes
    this.#lease = lease
    this.#releaser = releaser
    this.#claimer = claimer
    this.#replayer = replayer
    this.#retrier = retrier
    this.clockWatch = clockWatch
    this.#loops = [
      canceler,
      replayer,
      retrier,
      fanout,
      createRescuer({ ...maintenance, lease, leaseMs, claimer }),
      pullIn,
      retention,
      searchIndexer,
      createStatsRollup(maintenance),
      createQueueSampler({ ...maintenance, queue: this.queue }),
      createResealer({ ...common, storage, secretBox: params.secretBox, lease }),
    ]
  }

  async start(): Promise<void> {
    const { storage, failureLog } = this.#params
    await this.#lease.start()
    await this.clockWatch.start()
    await this.#wayOut.start()
    storage.onWebhooksChanged(
      (webhookIds) => {
        for (const id of webhookIds) this.webhookChanged(id)
      },
      (error) =>
        error === null ? failureLog.worked(WEBHOOK_CHANGES) : failureLog.failed(WEBHOOK_CHANGES, error),
    )
    this.#releaser.start()
    this.#claimer.start()
    for (const loop of this.#loops) loop.start()
  }

  async stop(): Promise<void> {
    this.queue.stop()
    // First of all: anything started from now on would delay the stop.
    const allSent = this.#dispatcher.stop(STOP_PATIENCE_MS)
    await Promise.all([
      this.#publisher.drain(),
      this.#quotas.stop(),
      this.#claimer.stop(),
      this.clockWatch.stop(),
      this.#wayOut.stopNoting(),
      ...this.#loops.map((loop) => loop.stop()),
    ])
    await allSent
    this.#wayOut.stop()
    if (!(await this.#recorder.drain())) {
      const attempts = this.#recorder.backlog
      this.#params.log.error({ attempts }, 'stopped with unrecorded attempts; they will be repeated')
    }
    await this.#releaser.stop()
    await this.#lease.stop()
    await Promise.all([this.#params.prober, this.#params.senders].map((one) => one.destroy()))
  }

  get nodeId(): number {
    return this.#lease.nodeId
  }

  /** Whether this node may take and send deliveries now. */
  get leaseValid(): boolean {
    return this.#lease.valid
  }

  /** Whether due deliveries of this webhook wait here because of a fault of ours. */
  waitsForSender(webhookId: number): boolean {
    return this.#lanes.find(webhookId)?.blocks.includes('sender') === true
  }

  get load(): EngineLoad {
    return { inFlight: this.#lanes.inFlight, waiting: this.#lanes.memory.waiting }
  }

  /** The quota that forbids a workspace to publish now; `null`: none does. */
  quotaExceeded(workspaceId: number): QuotaExceeded | null {
    return this.#quotas.exceeded(workspaceId)
  }

  publish(dialect: Dialect, events: EventRows, idempotency: IdempotencyKey | null): Promise<PublishOutcome> {
    return this.#publisher.publish(dialect, events, idempotency)
  }

  /** Profiles changed: loads targets again, including those that could not be sent to. */
  profilesChanged(): void {
    const { dialects } = this.#params
    this.#lanes.profilesChanged((dialect) => dialects.get(dialect.name) === dialect)
    this.wake()
  }

  /** The store has changed a webhook: the cached target must not be used any more. */
  webhookChanged(webhookId: number): void {
    this.#webhookChanges.changed(webhookId)
  }

  /** The store holds a delivery that is due now. */
  wake(): void {
    this.#claimer.wake()
  }

  /** The store holds a replay to carry out. */
  replayCreated(): void {
    this.#replayer.wake()
  }

  /** The store holds a retry to carry out. */
  retryAsked(): void {
    this.#retrier.wake()
  }

  #resume(): void {
    this.#lanes.ready()
    this.#claimer.wake()
  }

  #leaseLost(): void {
    this.#lanes.dropAll()
    this.#lanes.rateLimits.forgetLimits()
    this.#claimer.wake()
  }
}
