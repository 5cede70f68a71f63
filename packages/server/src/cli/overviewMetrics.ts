import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../core/clock.ts'
import type { CachedRead } from '../engine/cachedRead.ts'
import type { Engine } from '../engine/engine.ts'
import { inTime } from '../engine/maintenance/inTime.ts'
import type { Overview } from '../engine/maintenance/watches.ts'

interface Params {
  readonly registry: Registry
  readonly overview: Pick<CachedRead<Overview>, 'current'>
  readonly engine: Pick<Engine, 'whyPending'>
  readonly clock: Clock
}

/** The state of all publishing and sending, as in the API and the console's banner. */
export function watchOverview({ registry, overview, engine, clock }: Params): void {
  const registers = [registry]
  const gauge = (
    name: string,
    help: string,
    label: string | null,
    valuesOf: (overview: Overview) => Readonly<Record<string, number>>,
  ): void => {
    new Gauge({
      name,
      help,
      labelNames: label === null ? [] : [label],
      registers,
      async collect() {
        this.reset()
        const now = await inTime(clock, () => overview.current()).catch(() => null)
        if (label === null) this.set(now === null ? Number.NaN : valuesOf(now).value!)
        else if (now !== null)
          for (const [name, value] of Object.entries(valuesOf(now))) this.set({ [label]: name }, value)
      },
    })
  }
  gauge(
    'posthorn_webhooks_on',
    'Enabled webhooks of the whole store, in workspaces that are not suspended',
    null,
    ({ webhooks }) => ({ value: webhooks.on }),
  )
  gauge(
    'posthorn_webhooks_failing',
    'Enabled webhooks that are failing: every attempt since the last success failed',
    null,
    ({ webhooks }) => ({ value: webhooks.failing }),
  )
  gauge(
    'posthorn_webhooks_disabled_last_hour',
    'Webhooks that were disabled in the last hour because they failed for too long or answered 410, and are still disabled',
    null,
    ({ webhooks }) => ({ value: webhooks.disabled }),
  )
  gauge(
    'posthorn_deliveries_last_hour',
    'Deliveries of the whole store that ended in the last hour, by latest result; delivered includes delivered_first_attempt',
    'outcome',
    ({ lastHour: { deliveries } }) => ({
      delivered: deliveries.delivered,
      delivered_first_attempt: deliveries.atFirst,
      failed: deliveries.failed,
      canceled: deliveries.canceled,
    }),
  )
  gauge(
    'posthorn_response_time_last_hour_seconds',
    'Response times of all receivers in the last hour, accurate to 3 %',
    'quantile',
    ({ lastHour: { responseMs } }) =>
      responseMs === null
        ? {}
        : { 0.5: responseMs.p50 / 1000, 0.95: responseMs.p95 / 1000, 0.99: responseMs.p99 / 1000 },
  )
  gauge(
    'posthorn_oldest_pending_delivery_age_seconds',
    'Age of the oldest pending delivery, by the reason why it waits; no sample if none is pending',
    'reason',
    ({ oldestPending: oldest }) =>
      oldest === null
        ? {}
        : { [engine.whyPending(oldest)]: Math.max(0, clock.now() - oldest.createdAt) / 1000 },
  )
}
