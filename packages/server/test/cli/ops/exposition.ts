import { createMetrics } from '../../../src/cli/metrics.ts'
import { CAUSES } from '../../../src/core/cause.ts'
import { WAIT_REASONS, type WaitReason } from '../../../src/core/waiting.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { Warnings } from '../../../src/engine/log/warnings.ts'
import type { Overview } from '../../../src/engine/maintenance/watches.ts'
import type { Attempt } from '../../../src/storage/rows.ts'
import type { PendingDelivery } from '../../../src/storage/storage.ts'
import { ManualClock } from '../../support/manualClock.ts'

/** The content of `/metrics`: for each metric its labels, and for each label the values seen. */
export type Exposition = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>

const ids = () => ({ eventId: 'evt_1', deliveryId: 'del_1' })
const ATTEMPT: Attempt = {
  number: 1,
  trigger: 'schedule',
  webhookVersion: 1,
  startedAt: 0,
  durationMs: 40,
  statusCode: 200,
  errorCode: null,
  errorMessage: null,
  cause: null,
  contentType: null,
  responseBody: null,
}

/** The metrics of a node on PostgreSQL that also relays an outbox, after every counted event has happened. */
export async function busyNode(): Promise<Exposition> {
  const found = new Map<string, Map<string, Set<string>>>()
  for (const reason of WAIT_REASONS) collect(found, await textOf(reason))
  return found
}

async function textOf(reason: WaitReason): Promise<string> {
  const metrics = createMetrics({ statements: 1, commits: 1 })
  const clock = new ManualClock()
  const warnings = new Warnings()
  for (const code of ['egress_allow_wide', 'clock_leapt', 'sending_held'] as const)
    warnings.give({ code, text: '', since: 0 })
  metrics.watchWarnings(warnings)
  metrics.watchIntake({ inUse: 0 }, { open: 0 })
  const overview: Overview = {
    webhooks: { on: 1, failing: 0, disabled: 0 },
    lastHour: {
      events: 1,
      deliveries: { delivered: 1, atFirst: 1, failed: 0, canceled: 0 },
      attempts: { delivered: 1 },
      responseMs: { p50: 1, p95: 1, p99: 1 },
      deliveryMs: null,
    },
    oldestPending: { createdAt: clock.now() } as PendingDelivery,
  }
  const engine = {
    load: { inFlight: 0, waiting: 0 },
    leaseValid: true,
    clock: { steady: true, aheadOfMachineMs: 0 },
    queue: async () => ({ pending: 0, due: 0, limited: 0, unmade: 0, oldestDueAt: null }),
    whyPending: () => reason,
  } as unknown as Engine
  const consumers = { consumers: 0, unacknowledged: 0, oldestAt: null, withGap: 0 }
  metrics.watch(engine, { current: async () => overview }, { current: async () => consumers }, clock, {
    isReady: async () => true,
    dataDir: process.cwd(),
  })
  happen(metrics)
  return metrics.text()
}

/** Creates a sample of each counter that has none before its first count. */
function happen({ observer, mailObserver, relayObserver }: ReturnType<typeof createMetrics>): void {
  observer.published('content', 1, 1)
  observer.attempted('content', ATTEMPT, ids)
  observer.attempted('content', { ...ATTEMPT, trigger: 'test' }, ids)
  for (const cause of CAUSES)
    observer.attempted('content', { ...ATTEMPT, errorCode: 'http_status', cause }, ids)
  for (const outcome of ['sent', 'failed', 'unwanted'] as const) mailObserver.ended('sign_in', outcome)
  mailObserver.deferred('sign_in')
  relayObserver('orders').published([5])
}

const SAMPLE = /^(\w+)(?:\{(.*)\})? \S+$/
const LABEL = /(\w+)="([^"]*)"/g

function collect(found: Map<string, Map<string, Set<string>>>, text: string): void {
  for (const line of text.split('\n')) {
    const [, name, labels = ''] = SAMPLE.exec(line) ?? []
    if (name === undefined) continue
    const known = found.get(name) ?? new Map<string, Set<string>>()
    found.set(name, known)
    for (const [, label, value] of labels.matchAll(LABEL))
      known.set(label!, (known.get(label!) ?? new Set()).add(value!))
  }
}
