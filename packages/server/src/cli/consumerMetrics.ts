import { Counter, Gauge, type Registry } from 'prom-client'
import type { Clock } from '../core/clock.ts'
import type { ConsumersState, ConsumerWatch } from '../engine/maintenance/consumerWatch.ts'
import { inTime } from '../engine/maintenance/inTime.ts'
import { type ConsumerObserver, READER_KINDS } from '../http/shared/consumers/readers.ts'

/** Counts what readers of consumers do on this node. */
export function countConsumers(registry: Registry): ConsumerObserver {
  const registers = [registry]
  const readers = new Gauge({
    name: 'posthorn_consumer_readers',
    help: 'Open streams and waiting requests of consumers on this node',
    labelNames: ['kind'],
    registers,
  })
  const handedOut = new Counter({
    name: 'posthorn_consumer_events_total',
    help: 'Events returned to readers of consumers, including repeats',
    labelNames: ['kind'],
    registers,
  })
  const acknowledged = new Counter({
    name: 'posthorn_consumer_acknowledgements_total',
    help: 'Acknowledgements by result: moved (the consumer moved forward), unchanged (nothing changed), outdated (it came after a seek)',
    labelNames: ['outcome'],
    registers,
  })
  for (const kind of READER_KINDS) {
    readers.set({ kind }, 0)
    handedOut.inc({ kind }, 0)
  }
  for (const outcome of ['moved', 'unchanged', 'outdated']) acknowledged.inc({ outcome }, 0)
  return {
    reader: (kind, change) => readers.inc({ kind }, change),
    handedOut: (kind, events) => handedOut.inc({ kind }, events),
    acknowledged: (outcome) => acknowledged.inc({ outcome }),
  }
}

/** Metrics of all consumers of the store. */
export function watchConsumers(
  registry: Registry,
  consumers: Pick<ConsumerWatch, 'current'>,
  clock: Clock,
): void {
  const gauge = (name: string, help: string, read: (state: ConsumersState) => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const now = await inTime(clock, () => consumers.current()).catch(() => null)
        this.set(now === null ? Number.NaN : read(now))
      },
    })
  }
  gauge('posthorn_consumers', 'Consumers of the whole store', ({ consumers }) => consumers)
  gauge(
    'posthorn_consumer_unacknowledged_events',
    'Events that consumers of the whole store have not acknowledged; at most 1,000 are counted per consumer',
    ({ unacknowledged }) => unacknowledged,
  )
  gauge(
    'posthorn_consumer_oldest_unacknowledged_age_seconds',
    'Age of the oldest event that a consumer of the whole store has not acknowledged; 0 if there is none',
    ({ oldestAt }) => (oldestAt === null ? 0 : Math.max(0, clock.now() - oldestAt) / 1000),
  )
  gauge(
    'posthorn_consumers_with_gap',
    'Consumers of the whole store that missed events because of the retention and have not acknowledged any since',
    ({ withGap }) => withGap,
  )
}
