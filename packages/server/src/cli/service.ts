import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../core/clock.ts'
import type { Dialect } from '../core/dialect.ts'
import { adsDialect } from '../dialects/ads/dialect.ts'
import { contentDialect } from '../dialects/content/dialect.ts'
import { createEngine } from '../engine/createEngine.ts'
import { createEgressAgent } from '../engine/egress/index.ts'
import type { Logger } from '../engine/logger.ts'
import { createSecretBox } from '../engine/secretBox.ts'
import { Sender } from '../engine/sender.ts'
import { buildApp } from '../http/app.ts'
import type { Storage, StoreOpenError } from '../storage/storage.ts'
import { createMetrics, type StoreCounter } from './metrics.ts'
import type { Config } from './settings.ts'

/** With the engine's own patience this leaves room within the 20 s that a stop may take. */
const CLOSE_GRACE_MS = 2_000

export interface Service {
  /** Where it listens. */
  readonly url: string
  /** The number that this node has in the store. */
  readonly nodeId: number
  /** Resolves when the store is no longer one that this program can work on: it can only be stopped. */
  readonly refused: Promise<StoreOpenError>
  /** Lets what is under way finish, gives back what is not. */
  stop(): Promise<void>
}

/** Puts the service together on an open store and starts it. @throws what `listen` says */
export async function startService(params: {
  readonly config: Config
  /** Closed by the service's stop, and when the start fails. */
  readonly storage: Storage
  /** The time that all nodes of the store share. */
  readonly clock: Clock
  readonly counter: StoreCounter | null
  readonly adminToken: string
  readonly masterKey: Uint8Array
  readonly logger: Logger
}): Promise<Service> {
  const { config, storage, clock, counter, adminToken, masterKey, logger } = params
  const dialects = new Map(dialectsOf(config).map((dialect) => [dialect.name, dialect]))
  const senders = new Map(
    [...dialects.values()].map((dialect) => [dialect.name, senderOf(dialect, config, clock)]),
  )
  const metrics = createMetrics(counter)
  const secretBox = createSecretBox(masterKey)
  const engine = createEngine({
    storage,
    dialects,
    senders,
    secretBox,
    clock,
    random: Math.random,
    log: logger,
    observer: metrics.observer,
    limits: { maxInFlight: config.maxInFlight, maxInFlightPerWebhook: config.maxInFlightPerWebhook },
    retentionMs: config.retention,
    leaseMs: config.lease,
  })
  metrics.watch(engine)
  const app = buildApp({
    engine,
    storage,
    dialects,
    egressRules: config.egressRules,
    secretBox,
    adminToken,
    clock,
    logger,
    metricsText: metrics.text,
  })
  const stop = async () => {
    await closeApp(app)
    await engine.stop()
    await storage.close()
  }
  try {
    await engine.start()
    await app.listen({ host: config.host, port: config.port })
  } catch (error) {
    await stop()
    throw error
  }
  const { address, family, port } = app.server.address() as AddressInfo
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
  return { url, nodeId: engine.nodeId, refused: engine.refused, stop }
}

/** Requests under way may finish; a client that says nothing more must not hold up the stop. */
async function closeApp(app: FastifyInstance): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), CLOSE_GRACE_MS)
  await app.close()
  clearTimeout(timer)
}

function dialectsOf(config: Config): readonly Dialect[] {
  return [
    contentDialect({
      waitsMs: config.contentRetry,
      timeoutMs: config.contentTimeout,
      switchOffAfterMs: config.failingAfter,
      secretOverlapMs: config.secretOverlap,
    }),
    adsDialect({ waitsMs: config.adsRetry, timeoutMs: config.adsTimeout }),
  ]
}

function senderOf(dialect: Dialect, config: Config, clock: Clock): Sender {
  const { timeoutMs } = dialect.policy
  const agent = createEgressAgent({
    rules: config.egressRules,
    ca: config.egressCa ?? undefined,
    proxy: config.egressProxy ?? undefined,
    connectTimeoutMs: timeoutMs,
    maxConnectionsPerOrigin: config.maxInFlight,
  })
  return new Sender({ agent, clock, timeoutMs })
}
