import type { Dialect } from '../../../src/core/dialect.ts'
import { DAY_MS, SECOND_MS } from '../../../src/core/duration.ts'
import { DEFAULT_QUOTAS } from '../../../src/core/quotas.ts'
import { Sender } from '../../../src/engine/attempt/sender.ts'
import { Senders } from '../../../src/engine/attempt/senders.ts'
import { createEngine } from '../../../src/engine/createEngine.ts'
import type { EgressAgent } from '../../../src/engine/egress/index.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { FailureLog } from '../../../src/engine/log/failureLog.ts'
import { silentObserver } from '../../../src/engine/log/observer.ts'
import { Warnings } from '../../../src/engine/log/warnings.ts'
import { createSecretBox } from '../../../src/engine/secretBox.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import type { Process } from './process.ts'

export interface EngineSettings {
  readonly dialects: readonly Dialect[]
  readonly maxInFlight: number
  readonly maxInFlightPerWebhook: number
  readonly leaseMs: number
  /** How long the clock must have been steady before anything is deleted. */
  readonly graceMs: number
}

/** Retention of a service by default. */
const RETENTION_MS = 30 * DAY_MS

/** The engine as a service builds it, in its place in the simulation. */
export function engineOf(params: {
  readonly process: Process
  readonly storage: Storage
  readonly agent: EgressAgent
  readonly settings: EngineSettings
  readonly random: () => number
  /** Receives each warning and error that is not about a webhook. */
  readonly onComplaint: (message: string) => void
}): Engine {
  const { process, storage, agent, settings, random, onComplaint } = params
  const { clock, machine } = process
  const { dialects, maxInFlight, maxInFlightPerWebhook, leaseMs, graceMs } = settings
  const complain = (fields: object, message: string) => {
    if (!('notification' in fields)) onComplaint(message)
  }
  const log = { info() {}, warn: complain, error: complain }
  return createEngine({
    storage,
    dialects: new Map(dialects.map((dialect) => [dialect.name, dialect])),
    dialectAt: async () => null,
    senders: new Senders((timeoutMs) => new Sender({ agent, clock, timeoutMs })),
    prober: agent,
    egressProbe: null,
    secretBox: createSecretBox([new Uint8Array(32).fill(7)]),
    clock,
    random,
    log,
    failureLog: new FailureLog(clock, log),
    onNotified() {},
    observer: silentObserver,
    tracing: null,
    limits: { maxInFlight, maxInFlightPerWebhook },
    quotas: DEFAULT_QUOTAS,
    retentionMs: RETENTION_MS,
    machineClock: machine,
    clockLimits: { maxLeapMs: 30 * SECOND_MS, graceMs },
    warnings: new Warnings(),
    leaseMs,
  })
}
