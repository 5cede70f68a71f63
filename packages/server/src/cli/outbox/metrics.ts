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
    help: 'Events published from an outbox, repeats included',
    labelNames,
    registers,
  })
  const rejected = new Counter({
    name: 'posthorn_outbox_rejected_total',
    help: 'Events of an outbox that were rejected and set aside as failed',
    labelNames,
    registers,
  })
  const held = new Counter({
    name: 'posthorn_outbox_held_total',
    help: 'Events of an outbox that were deferred because their workspace was blocked',
    labelNames,
    registers,
  })
  const lag = new Histogram({
    name: 'posthorn_outbox_lag_seconds',
    help: 'From the emit of an event to its publication',
    labelNames,
    buckets: LAG_BUCKETS,
    registers,
  })
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames, registers })
  const waiting = gauge(
    'posthorn_outbox_waiting_events',
    'Events that this relay has to publish; counting ends at 20000',
  )
  const oldest = gauge(
    'posthorn_outbox_oldest_waiting_seconds',
    'Age of the oldest event that waits, 0 when none does',
  )
  const failed = gauge(
    'posthorn_outbox_failed_events',
    'Events that were rejected and not yet retried or dropped',
  )
  const blocked = gauge(
    'posthorn_outbox_blocked_workspaces',
    'Workspaces that cannot publish now, such as those whose key is not valid',
  )
  const sourceUp = gauge('posthorn_outbox_source_up', '1 while the outbox can be read')
  const posthornUp = gauge(
    'posthorn_outbox_publishing_up',
    '0 while publishing fails because Posthorn is unavailable',
  )
  return (outbox) => {
    for (const counter of [published, rejected, held]) counter.inc({ outbox }, 0)
    for (const one of [waiting, oldest, failed, blocked, sourceUp]) one.set({ outbox }, 0)
    posthornUp.set({ outbox }, 1)
    return {
      published(lagsMs) {
        published.inc({ outbox }, lagsMs.length)
        for (const lagMs of lagsMs) lag.observe({ outbox }, Math.max(0, lagMs) / 1000)
      },
      rejected: (count) => rejected.inc({ outbox }, count),
      held: (count) => held.inc({ outbox }, count),
      blockedWorkspaces: (count) => blocked.set({ outbox }, count),
      backlog(backlog) {
        sourceUp.set({ outbox }, backlog === null ? 0 : 1)
        if (backlog === null) return
        waiting.set({ outbox }, backlog.waiting)
        oldest.set({ outbox }, backlog.oldestMs / 1000)
        failed.set({ outbox }, backlog.failed)
      },
      reachable: (yes) => posthornUp.set({ outbox }, yes ? 1 : 0),
    }
  }
}
