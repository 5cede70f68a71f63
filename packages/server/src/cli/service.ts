import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type Clock, systemClock } from '../core/clock.ts'
import { parseEgressRules } from '../core/targets/index.ts'
import { Sender } from '../engine/attempt/sender.ts'
import { Senders } from '../engine/attempt/senders.ts'
import { createEngine } from '../engine/createEngine.ts'
import { createEgressAgent, type EgressAgent, IdleConnections, Silence } from '../engine/egress/index.ts'
import { FailureLog } from '../engine/log/failureLog.ts'
import type { Logger } from '../engine/log/logger.ts'
import { Warnings } from '../engine/log/warnings.ts'
import { ConsumerWatch } from '../engine/maintenance/consumerWatch.ts'
import { createStandingWatch } from '../engine/maintenance/watches.ts'
import { createSecretBox } from '../engine/secretBox.ts'
import { buildApp } from '../http/app.ts'
import { Arrivals } from '../http/shared/bodies/arrivals.ts'
import { BodyBudget } from '../http/shared/bodies/budget.ts'
import { Connections } from '../http/shared/bodies/connections.ts'
import { ARRIVAL_LIMITS } from '../http/shared/bodies/limits.ts'
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
import { consoleDirectory } from './consoleDirectory.ts'
import { downloadsDirectory } from './downloadsDirectory.ts'
import { listen } from './listen.ts'
import { createMetrics, type StoreCounter } from './metrics.ts'
import { createOwnRelay, newRelayToken } from './outbox/ownRelay.ts'
import { SettingsOfServices } from './serviceSettings.ts'
import { type Config, quotasOf } from './settings.ts'
import { settingWarnings } from './settingWarnings.ts'
import { isUnencrypted } from './webSettings.ts'

const SENDER_OF_FILES = { name: 'Posthorn', address: 'posthorn@localhost' }
/** As patient as an attempt, of which names may take half; each probe has its own limit. */
const PROBE_TIMEOUT_MS = 10_000
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

/** Puts the service together on an open store and starts it. @throws SettingError when it cannot listen at its address */
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
  /** Variables, of which some are settings of services. */
  readonly environment: Readonly<Record<string, string | undefined>>
}): Promise<Service> {
  const { config, storage, clock, counter, adminToken, masterKey, logger } = params
  const quotas = quotasOf(config)
  const serviceSettings = new SettingsOfServices(config, params.environment)
  const idleConnections = new IdleConnections()
  const egress = egressOf(config)
  const senders = new Senders((timeoutMs) => senderOf(timeoutMs, config, egress, clock, idleConnections))
  const metrics = createMetrics(counter)
  const secretBox = createSecretBox(masterKey)
  const failureLog = new FailureLog(clock, logger)
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
  for (const { code, text } of settingWarnings(config)) {
    logger.warn({ code }, text)
    warnings.give({ code, text, since: clock.now() })
  }
  metrics.watchWarnings(warnings)
  /** `null` until it is known where people reach this service, which messages link to. */
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
    observer: metrics.observer,
    limits: { maxInFlight: config.maxInFlight, maxInFlightPerWebhook: config.maxInFlightPerWebhook },
    quotas,
    retentionMs: config.retention,
    machineClock: systemClock,
    clockLimits: { maxLeapMs: config.clockLeap, graceMs: config.clockGrace },
    warnings,
    leaseMs: config.lease,
  })
  const standing = createStandingWatch({ storage: storage.figures, clock })
  metrics.watch(engine, standing, new ConsumerWatch({ storage: storage.consumers, clock }), clock)
  const trustedProxies = config.trustedProxies ?? []
  const bodyBudget = new BodyBudget(config.maxBodyBytes, metrics.intakeObserver)
  const connections = new Connections(config.maxConnections, trustedProxies, metrics.intakeObserver)
  metrics.watchIntake(bodyBudget, connections)
  const publicUrl = () => config.publicUrl ?? listenUrl(app)
  const relayToken = newRelayToken()
  const pages = consoleDirectory()
  if (pages === null) logger.warn({}, 'the web console is not built and not served: npm run build')
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
    onNotified,
    authenticationLimits: AUTHENTICATION_LIMITS,
    authenticationObserver: metrics.authenticationObserver,
    metricsText: metrics.text,
    warnings,
    standing,
    consoleDirectory: pages,
    downloadsDirectory: downloadsDirectory(),
    sendsEmail: config.smtpUrl !== null,
    publicUrl,
    retentionMs: config.retention,
    portalOrigins: config.portalOrigins ?? [],
    trustedProxies,
    bodyBudget,
    arrivals: new Arrivals(clock, ARRIVAL_LIMITS),
    connections,
    maxStreamsPerWorkspace: quotas.streams,
    maxConsumersPerWorkspace: quotas.consumers,
    maxReadersPerWorkspace: quotas.readers,
    consumerObserver: metrics.consumerObserver,
  })
  const relay = await createOwnRelay({
    config,
    app,
    relayToken,
    clock,
    logger,
    failureLog,
    observerOf: metrics.relayObserver,
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
  ]
  const stop = async () => {
    await relay?.stop()
    await closeApp(app)
    // What it publishes goes through the engine.
    await Promise.all(loops.map((loop) => loop.stop()))
    await Promise.all([engine.stop(), services.stop(), mailer?.stop()])
    await storage.close()
  }
  try {
    await services.start()
    for (const variable of serviceSettings.forOthers([...dialects.keys()]))
      logger.warn({ variable }, 'setting ignored: no service has this name')
    services.onChange(() => engine.profilesChanged())
    await engine.start()
    await listen(app, config)
  } catch (error) {
    await stop()
    throw error
  }
  if (isUnencrypted(publicUrl())) {
    logger.warn(
      { public_url: publicUrl() },
      'people sign in without TLS: cookies and tokens can be read on the way; set POSTHORN_PUBLIC_URL to an https address',
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
      switchOffAfterMs: (name) => dialects.get(name)?.policy.health.switchOffAfterMs ?? null,
      recovery: (name) => dialects.get(name)?.profile.operations.recover ?? null,
    },
    observer: metrics.mailObserver,
    leaseMs: config.lease,
  })
  mailer.start()
  for (const loop of loops) loop.start()
  if (relay !== null) {
    relay.start()
    logger.info({ outbox: relay.place }, 'relay started: publishes what is emitted into this outbox')
  }
  return { url: listenUrl(app), nodeId: engine.nodeId, refused: engine.refused, stop }
}

function listenUrl(app: FastifyInstance): string {
  const { address, family, port } = app.server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** Without a mail server messages are kept as files, so that nobody who tries the service needs one. */
function transportOf(config: Config): Transport {
  const { smtpUrl: server, emailFrom } = config
  const from = emailFrom ?? SENDER_OF_FILES
  return server === null ? fileTransport(emailDirectory(config), from) : smtpTransport(server, from)
}

const emailDirectory = ({ dataDir }: Config) => path.join(dataDir, 'emails')

/** Requests under way may finish; a client that says nothing more must not hold up the stop. */
async function closeApp(app: FastifyInstance): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), CLOSE_GRACE_MS)
  await app.close()
  clearTimeout(timer)
}

/** What it asks is the operator's choice, where that is named, and need not be public. */
function proberOf(config: Config, egress: Egress): EgressAgent {
  const { egressAllow: allow, egressPorts, egressProbe } = config
  const named = egressProbe === null ? [] : [egressProbe.hostname]
  return createEgressAgent({
    ...egress,
    rules: parseEgressRules({
      allow: [...(allow === null ? [] : [allow]), ...named].join(',') || undefined,
      ports: egressPorts ?? undefined,
    }),
    connectTimeoutMs: PROBE_TIMEOUT_MS,
    maxConnectionsPerDestination: 1,
  })
}

/** What all connections have in common. */
type Egress = ReturnType<typeof egressOf>

const egressOf = ({ egressCa, egressProxy, egressProxyResolve }: Config) => ({
  silence: new Silence(),
  ca: egressCa ?? undefined,
  proxy: egressProxy ?? undefined,
  proxyResolve: egressProxyResolve,
})

function senderOf(
  timeoutMs: number,
  config: Config,
  egress: Egress,
  clock: Clock,
  idleConnections: IdleConnections,
): Sender {
  const agent = createEgressAgent({
    ...egress,
    rules: config.egressRules,
    connectTimeoutMs: timeoutMs,
    // Those that an attempt no longer waits for may still be being made.
    maxConnectionsPerDestination: 2 * config.maxInFlightPerWebhook,
    idleConnections,
  })
  return new Sender({ agent, clock, timeoutMs })
}
