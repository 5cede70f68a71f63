import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { RelayObserver } from '../../outbox/observer.ts'

/** Seconds; from a fresh event to one that waited for an hour. */
const LAG_BUCKETS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 30, 300, 3600]

/** Metrics of outbox relays. A label names the outbox. */
export function outboxMetrics(registry: Registry): (outbox: string) => RelayObserver {
  const registers = [registry]
  const labelNames = ['outbox'] as const
  const published = new Counter({
    name: 'posthorn_outbox_published_total',
    help: 'Events published from an outbox, including repeats',
    labelNames,
    registers,
  })
  const held = new Counter({
    name: 'posthorn_outbox_held_total',
    help: 'Events set aside, by state: waiting (their workspace was blocked) or failed (Posthorn rejected them)',
    labelNames: ['outbox', 'state'] as const,
    registers,
  })
  const lag = new Histogram({
    name: 'posthorn_outbox_lag_seconds',
    help: 'Time from emitting an event to publishing it',
    labelNames,
    buckets: LAG_BUCKETS,
    registers,
  })
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames, registers })
  const pending = gauge(
    'posthorn_outbox_pending_events',
    'Events that this relay has to publish, including waiting ones; counting stops at 20000',
  )
  const oldestPending = gauge(
    'posthorn_outbox_oldest_pending_seconds',
    'Age of the oldest pending event; 0 if there is none',
  )
  const waiting = gauge(
    'posthorn_outbox_waiting_events',
    'Pending events whose workspace is blocked; counting stops at 20000',
  )
  const failed = gauge(
    'posthorn_outbox_failed_events',
    'Rejected events that wait for a retry or a drop; counting stops at 20000',
  )
  const blocked = gauge(
    'posthorn_outbox_blocked_workspaces',
    'Workspaces that cannot publish now, for example because of an invalid key',
  )
  const storedBytes = gauge(
    'posthorn_outbox_stored_bytes',
    "Size of the emitted events in the producer's database, including published events that were not removed yet",
  )
  const heldBytes = gauge(
    'posthorn_outbox_held_bytes',
    "Size of the waiting and failed events in the producer's database",
  )
  const oldestStored = gauge(
    'posthorn_outbox_oldest_stored_seconds',
    'Age of the oldest emitted event that was not removed yet; 0 if there is none',
  )
  const sourceUp = gauge('posthorn_outbox_source_up', '1 if the outbox can be read; 0 if not')
  const posthornUp = gauge(
    'posthorn_outbox_publishing_up',
    '0 if publishing fails because Posthorn is unavailable; otherwise 1',
  )
  const gauges = [
    pending,
    oldestPending,
    waiting,
    failed,
    blocked,
    storedBytes,
    heldBytes,
    oldestStored,
    sourceUp,
  ]
  return (outbox) => {
    published.inc({ outbox }, 0)
    for (const state of ['waiting', 'failed']) held.inc({ outbox, state }, 0)
    for (const one of gauges) one.set({ outbox }, 0)
    posthornUp.set({ outbox }, 1)
    return {
      published(lagsMs) {
        published.inc({ outbox }, lagsMs.length)
        for (const lagMs of lagsMs) lag.observe({ outbox }, Math.max(0, lagMs) / 1000)
      },
      held: (state, count) => held.inc({ outbox, state }, count),
      blockedWorkspaces: (count) => blocked.set({ outbox }, count),
      backlog(backlog) {
        sourceUp.set({ outbox }, backlog === null ? 0 : 1)
        if (backlog === null) return
        pending.set({ outbox }, backlog.pending)
        oldestPending.set({ outbox }, backlog.oldestPendingMs / 1000)
        waiting.set({ outbox }, backlog.waiting)
        failed.set({ outbox }, backlog.failed)
      },
      stored(stored) {
        storedBytes.set({ outbox }, stored.emittedBytes)
        heldBytes.set({ outbox }, stored.heldBytes)
        oldestStored.set({ outbox }, stored.oldestMs / 1000)
      },
      reachable: (yes) => posthornUp.set({ outbox }, yes ? 1 : 0),
    }
  }
}
