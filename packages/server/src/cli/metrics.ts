import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { CAUSES } from '../core/cause.ts'
import type { Clock } from '../core/clock.ts'
import type { CachedRead } from '../engine/cachedRead.ts'
import type { Engine } from '../engine/engine.ts'
import type { EngineObserver } from '../engine/log/observer.ts'
import type { Warnings } from '../engine/log/warnings.ts'
import type { ConsumerWatch } from '../engine/maintenance/consumerWatch.ts'
import { inTime } from '../engine/maintenance/inTime.ts'
import type { Overview } from '../engine/maintenance/watches.ts'
import type { BodyBudget, IntakeObserver } from '../http/shared/bodies/budget.ts'
import type { Connections } from '../http/shared/bodies/connections.ts'
import type { ConsumerObserver } from '../http/shared/consumers/readers.ts'
import { type AuthenticationObserver, CREDENTIAL_KINDS } from '../http/shared/throttle/authentications.ts'
import type { MailObserver } from '../mail/observer.ts'
import type { RelayObserver } from '../outbox/observer.ts'
import { countConsumers, watchConsumers } from './consumerMetrics.ts'
import { watchNode } from './nodeMetrics.ts'
import { outboxMetrics } from './outbox/metrics.ts'
import { watchOverview } from './overviewMetrics.ts'

export interface Metrics {
  readonly observer: EngineObserver
  readonly mailObserver: MailObserver
  readonly authenticationObserver: AuthenticationObserver
  readonly intakeObserver: IntakeObserver
  /** For relays of outboxes, which label their metrics by outbox. */
  readonly relayObserver: (outbox: string) => RelayObserver
  readonly consumerObserver: ConsumerObserver
  /** From now on the text includes warnings for operators. */
  readonly watchWarnings: (warnings: Pick<Warnings, 'list'>) => void
  /** From now on the text includes the work in progress for clients. */
  readonly watchIntake: (bodies: Pick<BodyBudget, 'inUse'>, connections: Pick<Connections, 'open'>) => void
  /** From now on the text includes the state of an engine. */
  readonly watch: (
    engine: Pick<Engine, 'load' | 'leaseValid' | 'queue' | 'clock' | 'whyPending'>,
    overview: Pick<CachedRead<Overview>, 'current'>,
    consumers: Pick<ConsumerWatch, 'current'>,
    clock: Clock,
    node: Pick<Parameters<typeof watchNode>[0], 'isReady' | 'dataDir'>,
  ) => void
  /** In the Prometheus text format. */
  readonly text: () => Promise<string>
  /** The sources of the text. */
  readonly registry: Registry
}

/** Seconds; up to the longest time a receiver may take. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]

/** Counts of a store's own work. */
export interface StoreCounter {
  readonly statements: number
  /** Transactions that wrote. */
  readonly commits: number
}

/** @param store `null` if a store counts nothing */
export function createMetrics(store: StoreCounter | null): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const events = new Counter({
    name: 'posthorn_events_published_total',
    help: 'Events stored',
    labelNames: ['dialect'],
    registers,
  })
  const deliveries = new Counter({
    name: 'posthorn_deliveries_created_total',
    help: 'Deliveries created by published events',
    labelNames: ['dialect'],
    registers,
  })
  const attempts = new Counter({
    name: 'posthorn_attempts_total',
    help: 'Attempts by outcome: delivered, or the error code',
    labelNames: ['dialect', 'outcome'],
    registers,
  })
  const tests = new Counter({
    name: 'posthorn_test_attempts_total',
    help: 'Attempts of tests by outcome; among the other metrics, only posthorn_attempts_recorded_total includes them',
    labelNames: ['dialect', 'outcome'],
    registers,
  })
  const failures = new Counter({
    name: 'posthorn_attempt_failures_total',
    help: 'Failed attempts by cause: receiver, path (the network in between), sender (this service; such attempts do not count and are repeated)',
    labelNames: ['cause'],
    registers,
  })
  for (const cause of CAUSES) failures.inc({ cause }, 0)
  const egressOpen = new Gauge({
    name: 'posthorn_egress_open',
    help: '1 while this node sends; 0 while it has paused sending because it cannot reach any receiver',
    registers,
  })
  egressOpen.set(1)
  const recorded = new Counter({
    name: 'posthorn_attempts_recorded_total',
    help: 'Attempts whose result reached the store',
    registers,
  })
  const takenOver = new Counter({
    name: 'posthorn_leases_taken_over_total',
    help: 'Deliveries taken over from nodes that stopped responding or were killed',
    registers,
  })
  const expired = new Counter({
    name: 'posthorn_deliveries_expired_total',
    help: 'Deliveries canceled because they were still pending at the end of the retention',
    registers,
  })
  const pulledIn = new Counter({
    name: 'posthorn_retries_pulled_in_total',
    help: 'Retries that were scheduled too late because the clock was ahead, and were made due immediately',
    registers,
  })
  const indexed = new Counter({
    name: 'posthorn_search_indexed_total',
    help: 'Events and latest attempts added to the search index',
    registers,
  })
  const indexing = new Counter({
    name: 'posthorn_search_indexing_seconds_total',
    help: 'Time spent on updating the search index, including waits for the store',
    registers,
  })
  const clockLeaps = new Counter({
    name: 'posthorn_clock_leaps_total',
    help: 'Clock jumps compared with monotonic time, by direction: ahead or back',
    labelNames: ['direction'],
    registers,
  })
  for (const direction of ['ahead', 'back']) clockLeaps.inc({ direction }, 0)
  const lastLeap = new Gauge({
    name: 'posthorn_clock_last_leap_seconds',
    help: 'Size of the last clock jump, negative if it went back; 0 if there was none since the start',
    registers,
  })
  const durations = new Histogram({
    name: 'posthorn_attempt_duration_seconds',
    help: 'Duration of attempts, from the start of the connect to the end of the attempt',
    labelNames: ['dialect'],
    buckets: DURATION_BUCKETS,
    registers,
  })
  const emails = new Counter({
    name: 'posthorn_emails_total',
    help: 'E-mails by result: sent, failed after the last retry, or no longer needed',
    labelNames: ['kind', 'outcome'],
    registers,
  })
  const emailsDeferred = new Counter({
    name: 'posthorn_emails_put_off_total',
    help: 'Failed attempts to send an e-mail that will be retried',
    labelNames: ['kind'],
    registers,
  })
  const emailsWaiting = new Gauge({
    name: 'posthorn_emails_waiting',
    help: 'E-mails of all nodes that wait in the store, as of the last check by this node',
    registers,
  })
  const failedAuthentications = new Counter({
    name: 'posthorn_failed_authentications_total',
    help: 'Wrong credentials by kind and result: rejected, or throttled (not checked)',
    labelNames: ['credential', 'outcome'],
    registers,
  })
  for (const credential of CREDENTIAL_KINDS)
    for (const outcome of ['refused', 'throttled']) failedAuthentications.inc({ credential, outcome }, 0)
  const refusedBodies = new Counter({
    name: 'posthorn_request_bodies_refused_total',
    help: 'Request bodies rejected before they were parsed, by reason: share (limit of the caller), node (limit of the node), slow, complex',
    labelNames: ['reason'],
    registers,
  })
  for (const reason of ['share', 'node', 'slow', 'complex']) refusedBodies.inc({ reason }, 0)
  const refusedConnections = new Counter({
    name: 'posthorn_http_connections_refused_total',
    help: 'Connections closed by the service, by reason: node (limit of the node), address (limit of one address), pipelined (too many requests at once), chunks (too many small ones)',
    labelNames: ['reason'],
    registers,
  })
  for (const reason of ['node', 'address', 'pipelined', 'chunks']) refusedConnections.inc({ reason }, 0)
  if (store !== null) {
    mirror(
      registry,
      'posthorn_store_statements_total',
      'Statements sent to the database',
      () => store.statements,
    )
    mirror(registry, 'posthorn_store_commits_total', 'Writing transactions committed', () => store.commits)
  }
  return {
    observer: {
      published(dialect, eventCount, deliveryCount) {
        events.inc({ dialect }, eventCount)
        deliveries.inc({ dialect }, deliveryCount)
      },
      attempted(dialect, { trigger, errorCode, cause, durationMs }) {
        const counter = trigger === 'test' ? tests : attempts
        counter.inc({ dialect, outcome: errorCode ?? 'delivered' })
        // Tests are not real deliveries.
        if (trigger === 'test') return
        if (cause !== null) failures.inc({ cause })
        durations.observe({ dialect }, durationMs / 1000)
      },
      deferred: () => failures.inc({ cause: 'sender' }),
      egressChanged: (isOpen) => egressOpen.set(Number(isOpen)),
      recorded: (count) => recorded.inc(count),
      clockLeapt(byMs) {
        clockLeaps.inc({ direction: byMs > 0 ? 'ahead' : 'back' })
        lastLeap.set(byMs / 1000)
      },
      pulledIn: (count) => pulledIn.inc(count),
      indexed: (count, tookMs) => {
        indexed.inc(count)
        indexing.inc(tookMs / 1000)
      },
      tookOver: (count) => takenOver.inc(count),
      expired: (count) => expired.inc(count),
    },
    mailObserver: {
      ended: (kind, outcome) => emails.inc({ kind, outcome }),
      deferred: (kind) => emailsDeferred.inc({ kind }),
      waiting: (count) => emailsWaiting.set(count),
    },
    authenticationObserver: {
      failed: (credential, outcome) => failedAuthentications.inc({ credential, outcome }),
    },
    relayObserver: outboxMetrics(registry),
    intakeObserver: {
      bodyRefused: (reason) => refusedBodies.inc({ reason }),
      connectionRefused: (reason) => refusedConnections.inc({ reason }),
    },
    consumerObserver: countConsumers(registry),
    watchWarnings(warnings) {
      new Gauge({
        name: 'posthorn_warnings',
        help: '1 for each active warning for operators, by code',
        labelNames: ['code'],
        registers,
        collect() {
          this.reset()
          for (const { code } of warnings.list()) this.set({ code }, 1)
        },
      })
    },
    watchIntake(bodies, connections) {
      gauge(
        registry,
        'posthorn_request_body_bytes',
        'Bytes of request bodies in progress',
        () => bodies.inUse,
      )
      gauge(registry, 'posthorn_http_connections', 'Connections of clients', () => connections.open)
    },
    watch(engine, overview, consumers, clock, node) {
      watchNode({ registry, ...node })
      watchOverview({ registry, overview, engine, clock })
      watchConsumers(registry, consumers, clock)
      const queue = () => inTime(clock, () => engine.queue())
      gauge(registry, 'posthorn_attempts_in_flight', 'Attempts in flight', () => engine.load.inFlight)
      gauge(
        registry,
        'posthorn_deliveries_in_memory',
        'Deliveries that wait in the memory of this node for a free slot; others wait in the store',
        () => engine.load.waiting,
      )
      gauge(
        registry,
        'posthorn_lease_held',
        '1 if this node may take and send deliveries; 0 while it waits for the store',
        () => Number(engine.leaseValid),
      )
      gauge(
        registry,
        'posthorn_clock_steady',
        '1 if the clock is trusted; 0 if not, and then nothing is deleted',
        () => Number(engine.clock.steady),
      )
      gauge(
        registry,
        'posthorn_clock_ahead_of_machine_seconds',
        'How far the clock of the database, which all nodes use, is ahead of the clock of this machine; 0 with the embedded store',
        () => engine.clock.aheadOfMachineMs / 1000,
      )
      gauge(
        registry,
        'posthorn_deliveries_pending',
        'Pending deliveries. Counting stops at 1,000,000 or after half a second, so the true number may be higher',
        async () => (await queue()).pending,
      )
      gauge(
        registry,
        'posthorn_fanout_waiting_deliveries',
        'Pending deliveries of accepted events that are not created yet',
        async () => (await queue()).unmade,
      )
      gauge(
        registry,
        'posthorn_limited_deliveries_waiting',
        'Due deliveries that wait because of a limit of their webhook',
        async () => (await queue()).limited,
      )
      gauge(
        registry,
        'posthorn_oldest_due_delivery_age_seconds',
        'Time since the oldest due delivery in the store became due, not counting webhooks with a limit; 0 if none is due',
        async () => {
          const { oldestDueAt } = await queue()
          return oldestDueAt === null ? 0 : Math.max(0, clock.now() - oldestDueAt) / 1000
        },
      )
    },
    text: () => registry.metrics(),
    registry,
  }
}

/** A metric that cannot be read is left out; the others are still reported. */
function gauge(registry: Registry, name: string, help: string, read: () => number | Promise<number>): void {
  const registers = [registry]
  new Gauge({
    name,
    help,
    registers,
    async collect() {
      this.set(
        await Promise.resolve()
          .then(read)
          .catch(() => Number.NaN),
      )
    },
  })
}

/** A counter that is kept elsewhere. */
function mirror(registry: Registry, name: string, help: string, read: () => number): void {
  const registers = [registry]
  new Counter({
    name,
    help,
    registers,
    collect() {
      this.reset()
      this.inc(read())
    },
  })
}
