import type { AddressInfo } from 'node:net'
import { type Clock, systemClock } from '../core/clock.ts'
import type { Dialect } from '../core/dialect.ts'
import { adsDialect } from '../dialects/ads/dialect.ts'
import { contentDialect } from '../dialects/content/dialect.ts'
import { createEngine } from '../engine/createEngine.ts'
import { createEgressAgent } from '../engine/egress/index.ts'
import type { Logger } from '../engine/logger.ts'
import { createSecretBox } from '../engine/secretBox.ts'
import { Sender } from '../engine/sender.ts'
import { buildApp } from '../http/app.ts'
import { openSqliteStorage } from '../storage/sqlite/open.ts'
import { createMetrics } from './metrics.ts'
import type { Config } from './settings.ts'

export interface Service {
  /** Where it listens. */
  readonly url: string
  /** Lets what is under way finish, gives back what is not. */
  stop(): Promise<void>
}

/** Puts the service together and starts it. @throws StoreOpenError, or what `listen` says */
export async function startService(params: {
  readonly config: Config
  readonly adminToken: string
  readonly masterKey: Uint8Array
  readonly logger: Logger
}): Promise<Service> {
  const { config, adminToken, masterKey, logger } = params
  const clock = systemClock
  const dialects = new Map(dialectsOf(config).map((dialect) => [dialect.name, dialect]))
  const metrics = createMetrics()
  const storage = await openSqliteStorage({ dataDir: config.dataDir, clock })
  const engine = createEngine({
    storage,
    dialects,
    senders: new Map(
      [...dialects.values()].map((dialect) => [dialect.name, senderOf(dialect, config, clock)]),
    ),
    secretBox: createSecretBox(masterKey),
    clock,
    random: Math.random,
    log: logger,
    observer: metrics.observer,
    limits: { maxInFlight: config.maxInFlight, maxInFlightPerWebhook: config.maxInFlightPerWebhook },
    retentionMs: config.retention,
  })
  const app = buildApp({
    engine,
    storage,
    dialects,
    egressRules: config.egressRules,
    adminToken,
    clock,
    logger,
    metricsText: metrics.text,
  })
  const stop = async () => {
    await app.close()
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
  return { url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`, stop }
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
