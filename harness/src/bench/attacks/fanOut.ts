import { setTimeout as sleep } from 'node:timers/promises'
import { createWorkspace, type WorkspaceClient } from '../../support/workspaces.ts'
import { countComplaints, gridComplaints } from '../fanout/grid.ts'
import { createEndpoints, type FanoutBatch, publishBatch } from '../fanout/publish.ts'
import { arrivedAt, fanoutBatches, type GridReceiver, startGridReceiver } from '../fanout/receiver.ts'
import { whole } from '../frame/metrics.ts'
import type { Outcome } from '../frame/scenario.ts'
import { ANSWER_METRICS } from './answers.ts'
import type { Attack } from './attack.ts'

const FLAGS = {
  endpoints: { kind: 'count', help: 'fan-out: endpoints of the workspace', usual: 2_000, quick: 200 },
  batches: { kind: 'count', help: 'fan-out: publish requests, one after the other', usual: 1 },
  'batch-events': { kind: 'count', help: 'fan-out: events in each of them', usual: 1_000 },
  drain: {
    kind: 'count',
    help: 'fan-out: maximum seconds to wait until all deliveries have arrived; 0: do not wait',
    usual: 0,
    lowest: 0,
  },
} as const

const GROUP = 'fan'

/** One workspace where a single publish creates millions of deliveries. */
export const fanOut: Attack<typeof FLAGS> = {
  name: 'fan-out',
  flags: FLAGS,
  metrics: {
    endpointsPerSecond: whole('fan-out: endpoints created/s'),
    fanOutAcknowledgedMs: whole('fan-out: slowest publish ms'),
    fanOutDeliveries: whole('fan-out: deliveries accepted'),
    fanOutArrived: whole('fan-out: arrived by the end'),
    refusedRequests: ANSWER_METRICS.refusedRequests,
  },

  async start({ stage, url, flags }) {
    const { endpoints, batches, drain } = flags
    const events = batches * flags['batch-events']
    const { receiver, origin } = await startGridReceiver(stage, { rows: events, columns: endpoints })
    const workspace = await createWorkspace(() => url, 'ads', GROUP)
    const { perSecond } = await createEndpoints(workspace, origin, GROUP, endpoints)
    const publisher = new FanOutPublisher(url, workspace, fanoutBatches(events, flags['batch-events']))
    return {
      pids: [receiver.pid],
      strike: () => publisher.start(),
      delivered: async () => (await receiver.ask({ kind: 'count' }, 'count')).distinct,
      async finish() {
        await publisher.finish()
        const { metrics, complaints } = await judge(receiver, publisher, endpoints, drain)
        return { metrics: { endpointsPerSecond: perSecond, ...metrics }, complaints }
      },
    }
  },
}

/**
 * Publishes one batch after the other. A batch that is temporarily rejected is published again when the
 * service allows it.
 */
class FanOutPublisher {
  readonly accepted: FanoutBatch[] = []
  slowestMs = 0
  refused = 0
  readonly #url: string
  readonly #workspace: WorkspaceClient
  readonly #left: FanoutBatch[]
  readonly #end = new AbortController()
  #done: Promise<void> = Promise.resolve()

  constructor(url: string, workspace: WorkspaceClient, batches: readonly FanoutBatch[]) {
    this.#url = url
    this.#workspace = workspace
    this.#left = [...batches]
  }

  start(): void {
    this.#done = this.#publishAll()
    // The error is thrown by finish().
    this.#done.catch(() => undefined)
  }

  /** @throws Error when a publish was answered with an error */
  finish(): Promise<void> {
    this.#end.abort()
    return this.#done
  }

  async #publishAll(): Promise<void> {
    for (let batch = this.#left[0]; batch !== undefined && !this.#end.signal.aborted; batch = this.#left[0]) {
      const startedAt = performance.now()
      const answer = await publishBatch(this.#url, this.#workspace, batch)
      if ('ids' in answer) {
        this.slowestMs = Math.max(this.slowestMs, performance.now() - startedAt)
        this.accepted.push(batch)
        this.#left.shift()
      } else {
        this.refused += 1
        await sleep(answer.retryAfterMs, undefined, { signal: this.#end.signal }).catch(() => undefined)
      }
    }
  }
}

async function judge(
  receiver: GridReceiver,
  { accepted, slowestMs, refused }: FanOutPublisher,
  endpoints: number,
  drainSeconds: number,
): Promise<Outcome> {
  const deliveries = accepted.reduce((sum, { events }) => sum + events * endpoints, 0)
  await arrivedAt(receiver, deliveries, drainSeconds * 1000)
  const counts = await receiver.ask({ kind: 'count' }, 'count')
  const { rows } = await receiver.ask({ kind: 'rows' }, 'rows')
  const isAccepted = (row: number) =>
    accepted.some(({ firstRow, events }) => row >= firstRow && row < firstRow + events)
  return {
    metrics: {
      fanOutAcknowledgedMs: slowestMs,
      fanOutDeliveries: deliveries,
      fanOutArrived: counts.distinct,
      refusedRequests: refused,
    },
    complaints: [
      ...countComplaints(counts),
      // Without a drain, missing deliveries may still be pending.
      ...(drainSeconds === 0 ? [] : gridComplaints(rows, endpoints, isAccepted)),
    ],
  }
}
