import type { Clock } from '../../src/core/clock.ts'
import type { Dialect, Dialects } from '../../src/core/dialect.ts'
import { DEFAULT_QUOTAS, type Quotas } from '../../src/core/quotas.ts'
import { type EgressRules, parseEgressRules } from '../../src/core/targets/index.ts'
import { Sender } from '../../src/engine/attempt/sender.ts'
import { Senders } from '../../src/engine/attempt/senders.ts'
import { createEngine } from '../../src/engine/createEngine.ts'
import { createEgressAgent, type EgressAgentOptions, type Target } from '../../src/engine/egress/index.ts'
import type { By, Engine, EventToPublish } from '../../src/engine/engine.ts'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import type { EngineObserver } from '../../src/engine/log/observer.ts'
import { Warnings } from '../../src/engine/log/warnings.ts'
import type { ClockLimits } from '../../src/engine/maintenance/clockWatch.ts'
import { createSecretBox, type SecretBox } from '../../src/engine/secretBox.ts'
import { adsService, contentService } from '../../src/profiles/builtIn.ts'
import type { ServiceRegistry } from '../../src/services/registry.ts'
import type { DeliveryRecord, Webhook, Workspace } from '../../src/storage/rows.ts'
import type { FlatStorage } from './flatStorage.ts'
import { EVERYTHING } from './search.ts'
import { Signal } from './signal.ts'
import { openTestStore, type TestStore } from './testStore.ts'

export const LOOPBACK_RULES: EgressRules = parseEgressRules({ allow: '127.0.0.1/32' })

/** The actor of changes in tests of the engine. */
export const BY: By = {
  actor: { type: 'member', id: 'usr_owner', sessionId: 'ses_1' },
  requestId: 'req_1',
  idempotency: null,
}

/** The real engine on the real store, with an injected clock. */
export interface TestEngine {
  readonly engine: Engine
  readonly storage: FlatStorage
  readonly secretBox: SecretBox
  readonly dialects: ReadonlyMap<string, Dialect>
  readonly warnings: Warnings
  /** Attempts in the store. */
  readonly recorded: () => number
  /** Resolves once the store has this many attempts. */
  untilRecorded(count: number): Promise<void>
  /** Log lines of warnings and errors. */
  readonly complaints: readonly { readonly message: string; readonly fields: object }[]
  createWorkspace(dialect: string): Promise<Workspace>
  createWebhook(
    workspace: Workspace,
    url: string,
    eventTypes: readonly string[],
  ): Promise<Webhook & { secret: string }>
  publish(workspace: Workspace, event?: Partial<EventToPublish>): Promise<string>
  deliveriesOf(webhook: Webhook): Promise<readonly DeliveryRecord[]>
  stop(): Promise<void>
}

export async function startTestEngine(params: {
  readonly clock: Clock
  readonly random?: () => number
  readonly dialects?: readonly Dialect[]
  /** Replaces these: services that change while the engine runs. */
  readonly services?: ServiceRegistry
  readonly egress?: Partial<EgressAgentOptions>
  readonly egressProbe?: Target
  readonly limits?: { readonly maxInFlight: number; readonly maxInFlightPerWebhook: number }
  readonly onNotified?: () => void
  readonly quotas?: Partial<Quotas>
  readonly clockLimits?: ClockLimits
  /** A fresh one by default. */
  readonly store?: TestStore
}): Promise<TestEngine> {
  const { clock, random = Math.random } = params
  const fixed = new Map((params.dialects ?? [contentService(), adsService()]).map((d) => [d.name, d]))
  const { services } = params
  const dialects: Dialects = services?.sending ?? fixed
  const { storage, remove } = params.store ?? (await openTestStore(clock))
  const secretBox = createSecretBox([new Uint8Array(32).fill(7)])
  const complaints: { message: string; fields: object }[] = []
  const complain = (fields: object, message: string) => void complaints.push({ message, fields })
  const log = { info() {}, warn: complain, error: complain }
  const warnings = new Warnings()
  let recorded = 0
  const haveRecorded = new Signal()
  const observer: EngineObserver = {
    published() {},
    attempted() {},
    deferred() {},
    egressChanged() {},
    recorded(count) {
      recorded += count
      haveRecorded.fire()
    },
    tookOver() {},
    expired() {},
    pulledIn() {},
    indexed() {},
    clockLeapt() {},
  }
  const engine = createEngine({
    storage,
    dialects,
    dialectAt: async (name, version) => services?.at(name, version) ?? null,
    senders: new Senders((timeoutMs) => senderOf(timeoutMs, clock, params.egress)),
    prober: createEgressAgent({
      rules: LOOPBACK_RULES,
      connectTimeoutMs: 10_000,
      maxConnectionsPerDestination: 1,
      ...params.egress,
    }),
    egressProbe: params.egressProbe ?? null,
    secretBox,
    clock,
    random,
    log,
    failureLog: new FailureLog(clock, log),
    onNotified: () => params.onNotified?.(),
    observer,
    tracing: null,
    limits: params.limits ?? { maxInFlight: 512, maxInFlightPerWebhook: 10 },
    quotas: { ...DEFAULT_QUOTAS, ...params.quotas },
    retentionMs: 30 * 24 * 3_600_000,
    machineClock: clock,
    clockLimits: params.clockLimits ?? { maxLeapMs: 30_000, graceMs: 3_600_000 },
    warnings,
    leaseMs: 30_000,
  })
  services?.onChange(() => engine.profilesChanged())
  await engine.start()
  let slugs = 0
  return {
    engine,
    storage,
    secretBox,
    dialects,
    complaints,
    warnings,
    recorded: () => recorded,
    untilRecorded: (count) => haveRecorded.until(() => recorded >= count),
    async createWorkspace(dialect) {
      slugs += 1
      const publicId = engine.ids.create(dialect, 'workspace')
      const slug = `ws-${slugs}`
      const workspace = await storage.createWorkspace({
        publicId,
        dialect,
        slug,
        name: slug,
        now: clock.now(),
      })
      if (workspace === null) throw new Error(`the slug ${slug} is taken`)
      return workspace
    },
    async createWebhook(workspace, url, eventTypes) {
      const createdBy = { type: 'member', publicId: 'usr_owner' } as const
      const made = await engine.createWebhook({ workspace, url, eventTypes, createdBy }, BY)
      if (made.outcome !== 'created') throw new Error(made.outcome)
      return { ...made.webhook, secret: made.shown.secret! }
    },
    async publish(workspace, event = {}) {
      const outcome = await engine.publish(
        workspace,
        [
          {
            type: 'version.approved',
            broughtId: null,
            fingerprint: null,
            compose: (id, at) => JSON.stringify({ id, type: event.type ?? 'version.approved', at }),
            ...event,
          },
        ],
        null,
      )
      if (outcome.outcome !== 'accepted') throw new Error(outcome.outcome)
      return outcome.events[0]!.id
    },
    async deliveriesOf({ id: webhookId, workspaceId }) {
      const all = { ...EVERYTHING, workspaceId, webhookId, limit: 100, before: null }
      return (await storage.searchDeliveries(all)).deliveries
    },
    async stop() {
      await engine.stop()
      await storage.close()
      await remove()
    },
  }
}

function senderOf(timeoutMs: number, clock: Clock, egress: Partial<EgressAgentOptions> = {}): Sender {
  const agent = createEgressAgent({
    rules: LOOPBACK_RULES,
    connectTimeoutMs: timeoutMs,
    maxConnectionsPerDestination: 64,
    ...egress,
  })
  return new Sender({ agent, clock, timeoutMs })
}
