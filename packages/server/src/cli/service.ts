import path from 'node:path'
import { type Clock, systemClock } from '../core/clock.ts'
import { Senders } from '../engine/attempt/senders.ts'
import { createEngine } from '../engine/createEngine.ts'
import { IdleConnections } from '../engine/egress/index.ts'
import { FailureLog } from '../engine/log/failureLog.ts'
import type { Logger } from '../engine/log/logger.ts'
import type { Trail } from '../engine/log/trail.ts'
import { Warnings } from '../engine/log/warnings.ts'
import { ConsumerWatch } from '../engine/maintenance/consumerWatch.ts'
import { readinessOf } from '../engine/maintenance/readiness.ts'
import { createOverviewWatch } from '../engine/maintenance/watches.ts'
import type { SecretBox } from '../engine/secretBox.ts'
import { buildApp } from '../http/app.ts'
import { Arrivals } from '../http/shared/bodies/arrivals.ts'
import { BodyBudget } from '../http/shared/bodies/budget.ts'
import { Connections } from '../http/shared/bodies/connections.ts'
import { ARRIVAL_LIMITS } from '../http/shared/bodies/limits.ts'
import type { StoreFacts } from '../http/shared/storeFacts.ts'
import { AUTHENTICATION_LIMITS } from '../http/shared/throttle/limits.ts'
import { createDigests } from '../mail/digests.ts'
import { fileTransport } from '../mail/files.ts'
import type { Transport } from '../mail/mail.ts'
import { Mailer } from '../mail/mailer.ts'
import { createFileCleaner } from '../mail/oldFiles.ts'
import { createMailPullIn } from '../mail/pullIn.ts'
import { smtpTransport } from '../mail/smtp.ts'
import { BUILT_IN } from '../profiles/builtIn.ts'
import { createAlertRelay } from '../services/alertRelay.ts'
import { ServiceRegistry } from '../services/registry.ts'
import type { Storage, StoreOpenError } from '../storage/storage.ts'
import { prepareSettings } from './applySettings.ts'
import {
  consoleDirectory,
  downloadsDirectory,
  helpDirectory,
  referenceDirectory,
} from './builtDirectories.ts'
import { providerSettings } from './config/oidcSettings.ts'
import { quotasOf } from './config/parseConfig.ts'
import { egressOf, proberOf, senderOf } from './egress.ts'
import { closeApp, listenAt, listenUrl } from './listen.ts'
import { createMetrics, type StoreCounter } from './metrics.ts'
import { createOwnRelay, newRelayToken } from './outbox/ownRelay.ts'
import { RelayWatch } from './outbox/relayWatch.ts'
import { SettingsOfServices } from './serviceSettings.ts'
import type { Config } from './settings.ts'
import { createSettingCheck, SettingWatch } from './settingWatch.ts'
import type { Telemetry, TelemetryParams } from './telemetry/start.ts'
import { isUnencrypted } from './webSettings.ts'

const SENDER_OF_FILES = { name: 'Posthorn', address: 'posthorn@localhost' }

export interface Service {
  /** Where it listens. */
  readonly url: string
  /** Where the administration listens, if it has an address of its own. */
  readonly adminUrl: string | null
  /** The id of this node in the store. */
  readonly nodeId: number
  /** Resolves when this program can no longer work with the store and must stop. */
  readonly refused: Promise<StoreOpenError>
  /**
   * Prepares a reload of settings, and changes nothing.
   * @returns a function that applies them; it does not fail
   * @throws Error when they cannot be applied
   */
  prepare(config: Config): () => void
  /**
   * Makes `/readyz` fail, so that proxies use other nodes, and closes connections with their next response. Requests are still
   * accepted.
   */
  announceStop(): void
  /** Lets work in progress finish, and releases the rest. */
  stop(): Promise<void>
}

/** Builds the service on an open store and starts it. @throws SettingError when it cannot listen at its address */
export async function startService(params: {
  readonly config: Config
  /** Closed when the service stops, and when the start fails. */
  readonly storage: Storage
  /** The time that all nodes of the store share. */
  readonly clock: Clock
  readonly counter: StoreCounter | null
  readonly facts: StoreFacts
  readonly adminToken: string
  readonly secretBox: SecretBox
  readonly logger: Logger
  readonly trail: Trail
}): Promise<Service> {
  const { config, storage, clock, counter, adminToken, secretBox, logger, trail } = params
  const quotas = { ...quotasOf(config) }
  const serviceSettings = new SettingsOfServices(config)
  const idleConnections = new IdleConnections()
  const egress = egressOf(config)
  const senders = new Senders((timeoutMs) => senderOf(timeoutMs, config, egress, clock, idleConnections))
  const metrics = createMetrics(counter)
  const failureLog = new FailureLog(clock, logger)
  const telemetry = await telemetryOf(config, { clock, failureLog, registry: metrics.registry })
  const services = new ServiceRegistry({
    storage: storage.profiles,
    builtIn: BUILT_IN,
    settingsOf: (profile) => serviceSettings.of(profile),
    clock,
    log: logger,
    failureLog,
  })
  const dialects = services.served
  const warnings = new Warnings()
  const settingWatch = new SettingWatch(config, warnings, logger, clock)
  settingWatch.check()
  metrics.watchWarnings(warnings)
  /** `null` until the public URL of this service is known, which messages link to. */
  let mailer: Mailer | null = null
  const onNotified = () => mailer?.wake()
  const engine = createEngine({
    storage,
    dialects: services.sending,
    dialectAt: (name, version) => services.at(name, version),
    senders,
    prober: proberOf(config, egress),
    egressProbe: config.egressProbe,
    secretBox,
    clock,
    random: Math.random,
    log: logger,
    failureLog,
    onNotified,
    observer: {
      ...metrics.observer,
      attempted(dialect, attempt, ids) {
        metrics.observer.attempted(dialect, attempt, ids)
        if (trail.on) trail.attempted(ids(), attempt)
      },
    },
    tracing: telemetry?.tracing ?? null,
    limits: { maxInFlight: config.maxInFlight, maxInFlightPerWebhook: config.maxInFlightPerWebhook },
    quotas,
    retentionMs: config.retention,
    machineClock: systemClock,
    clockLimits: { maxLeapMs: config.clockLeap, graceMs: config.clockGrace },
    warnings,
    leaseMs: config.lease,
  })
  const overview = createOverviewWatch({ storage: storage.stats, clock })
  const isReady = readinessOf(engine, clock)
  metrics.watch(engine, overview, new ConsumerWatch({ storage: storage.consumers, clock }), clock, {
    isReady,
    dataDir: config.dataDir,
  })
  const trustedProxies = config.trustedProxies ?? []
  const bodyBudget = new BodyBudget(config.maxBodyBytes, metrics.intakeObserver)
  const connections = new Connections(config.maxConnections, trustedProxies, metrics.intakeObserver)
  const adminConnections = new Connections(config.maxConnections, trustedProxies, metrics.intakeObserver)
  metrics.watchIntake(bodyBudget, connections)
  const publicUrl = () => config.publicUrl ?? listenUrl(app.server)
  const adminUrl = config.adminPort === null ? null : () => config.adminUrl ?? listenUrl(app.adminServer!)
  const relayToken = newRelayToken()
  const pages = consoleDirectory()
  if (pages === null)
    logger.warn({}, 'the web console is not served because it is not built; run npm run build')
  const app = buildApp({
    engine,
    storage,
    dialects,
    services,
    egressRules: config.egressRules,
    secretBox,
    adminToken,
    relayToken,
    clock,
    logger,
    trail,
    tracing: telemetry?.tracing ?? null,
    onNotified,
    authenticationLimits: AUTHENTICATION_LIMITS,
    authenticationObserver: metrics.authenticationObserver,
    metricsText: metrics.text,
    isReady,
    storeFacts: params.facts,
    dataDir: config.dataDir,
    outboxState: () => relayWatch?.state ?? null,
    warnings,
    overview,
    consoleDirectory: pages,
    downloadsDirectory: downloadsDirectory(),
    helpDirectory: helpDirectory(),
    referenceDirectory: referenceDirectory(),
    sendsEmail: config.smtpUrl !== null,
    publicUrl,
    adminUrl,
    signInProvider: providerSettings(config),
    tls: config.tls,
    retentionMs: config.retention,
    portalOrigins: config.portalOrigins ?? [],
    trustedProxies,
    bodyBudget,
    arrivals: new Arrivals(clock, ARRIVAL_LIMITS),
    connections,
    adminConnections,
    quotas,
    consumerObserver: metrics.consumerObserver,
  })
  let relayWatch: RelayWatch | null = null
  const relay = await createOwnRelay({
    config,
    app,
    relayToken,
    clock,
    logger,
    failureLog,
    observerOf: (outbox) => {
      relayWatch = new RelayWatch(outbox, metrics.relayObserver(outbox))
      return relayWatch
    },
  })
  const directory = emailDirectory(config)
  const fileCleaner = createFileCleaner({
    directory,
    clock,
    failureLog,
    retentionMs: config.retention,
    mayDelete: () => engine.clock.steady,
  })
  const mailPullIn = createMailPullIn({
    storage: storage.notifications,
    clock,
    failureLog,
    claimMs: config.lease,
  })
  const loops = [
    fileCleaner,
    mailPullIn,
    createDigests({ storage: storage.alerts, clock, failureLog, onNotified }),
    createAlertRelay({ storage: storage.alerts, engine, clock, failureLog }),
    createSettingCheck(settingWatch, clock, failureLog),
  ]
  const stop = async () => {
    await relay?.stop()
    await closeApp(app, [connections, adminConnections])
    // It publishes through the engine.
    await Promise.all(loops.map((loop) => loop.stop()))
    await Promise.all([engine.stop(), services.stop(), mailer?.stop()])
    // After the last attempts.
    await Promise.all([storage.close(), telemetry?.stop()])
  }
  try {
    await services.start()
    for (const variable of serviceSettings.forOthers([...dialects.keys()]))
      logger.warn({ variable }, 'setting ignored: no service has this name')
    services.onChange(() => engine.profilesChanged())
    await engine.start()
    await listenAt(app, config)
  } catch (error) {
    await stop()
    throw error
  }
  if (isUnencrypted(publicUrl())) {
    logger.warn(
      { public_url: publicUrl() },
      'people sign in without TLS, so others on the network can read session cookies and tokens; set POSTHORN_PUBLIC_URL to an https:// URL',
    )
  }
  mailer = new Mailer({
    storage: storage.notifications,
    clock,
    log: logger,
    failureLog,
    secretBox,
    transport: transportOf(config),
    links: {
      publicUrl: publicUrl(),
      disableAfterMs: (name) => dialects.get(name)?.policy.health.disableAfterMs ?? null,
      recovery: (name) => dialects.get(name)?.profile.operations.recover ?? null,
    },
    observer: metrics.mailObserver,
    leaseMs: config.lease,
  })
  mailer.start()
  for (const loop of loops) loop.start()
  if (relay !== null) {
    relay.start()
    logger.info(
      { outbox: relay.place },
      'relay started: publishes the events that are emitted into this outbox',
    )
  }
  return {
    url: listenUrl(app.server),
    adminUrl: app.adminServer === null ? null : listenUrl(app.adminServer),
    nodeId: engine.nodeId,
    refused: engine.refused,
    prepare: (wanted) =>
      prepareSettings(
        {
          app,
          trust: egress.trust,
          quotas,
          connections: [connections, adminConnections],
          bodyBudget,
          settingWatch,
        },
        wanted,
      ),
    announceStop: () => engine.announceStop(),
    stop,
  }
}

/** @returns `null`: nothing is traced or sent, and the library for it is not loaded */
async function telemetryOf(
  config: Config,
  parts: Omit<TelemetryParams, 'config' | 'endpoint'>,
): Promise<Telemetry | null> {
  const { otlpEndpoint: endpoint } = config
  if (endpoint === null) return null
  const { startTelemetry } = await import('./telemetry/start.ts')
  return startTelemetry({ ...parts, config, endpoint })
}

/** Without a mail server messages are kept as files, so that you can try the service without one. */
function transportOf(config: Config): Transport {
  const { smtpUrl: server, emailFrom } = config
  const from = emailFrom ?? SENDER_OF_FILES
  return server === null ? fileTransport(emailDirectory(config), from) : smtpTransport(server, from)
}

const emailDirectory = ({ dataDir }: Config) => path.join(dataDir, 'emails')
