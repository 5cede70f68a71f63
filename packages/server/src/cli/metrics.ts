import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { EngineLoad } from '../engine/engine.ts'
import type { EngineObserver } from '../engine/observer.ts'

export interface Metrics {
  readonly observer: EngineObserver
  /** From now on the text says what an engine has under way. */
  readonly watch: (engine: { readonly load: EngineLoad }) => void
  /** In the Prometheus text format. */
  readonly text: () => Promise<string>
}

/** Seconds; up to the longest time a receiver may take. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]

/** What a store counts of its own work. */
export interface StoreCounter {
  readonly statements: number
  /** Transactions that wrote. */
  readonly commits: number
}

/** @param store `null` where a store counts nothing */
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
    help: 'Deliveries that published events made',
    labelNames: ['dialect'],
    registers,
  })
  const attempts = new Counter({
    name: 'posthorn_attempts_total',
    help: 'Attempts by outcome: delivered, or the error code',
    labelNames: ['dialect', 'outcome'],
    registers,
  })
  const recorded = new Counter({
    name: 'posthorn_attempts_recorded_total',
    help: 'Attempts whose result reached the store',
    registers,
  })
  const durations = new Histogram({
    name: 'posthorn_attempt_duration_seconds',
    help: 'From the start of the connect to the end of the attempt',
    labelNames: ['dialect'],
    buckets: DURATION_BUCKETS,
    registers,
  })
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
      attempted(dialect, { errorCode, durationMs }) {
        attempts.inc({ dialect, outcome: errorCode ?? 'delivered' })
        durations.observe({ dialect }, durationMs / 1000)
      },
      recorded: (count) => recorded.inc(count),
    },
    watch(engine) {
      gauge(registry, 'posthorn_attempts_in_flight', 'Attempts under way', () => engine.load.inFlight)
      gauge(
        registry,
        'posthorn_deliveries_in_memory',
        'Deliveries that wait in memory for a place; others wait in the store',
        () => engine.load.waiting,
      )
    },
    text: () => registry.metrics(),
  }
}

function gauge(registry: Registry, name: string, help: string, read: () => number): void {
  const registers = [registry]
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(read())
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
