import type { LookupFunction } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { Agent, request } from 'undici'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { DAY_MS } from '../../src/core/duration.ts'
import { DEFAULT_QUOTAS } from '../../src/core/quotas.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import { silentTrail } from '../../src/engine/log/trail.ts'
import type { ClockLimits } from '../../src/engine/maintenance/clockWatch.ts'
import { readinessOf } from '../../src/engine/maintenance/readiness.ts'
import { createOverviewWatch } from '../../src/engine/maintenance/watches.ts'
import type { SecretBox } from '../../src/engine/secretBox.ts'
import { type AppDeps, buildApp } from '../../src/http/app.ts'
import { Arrivals } from '../../src/http/shared/bodies/arrivals.ts'
import { BodyBudget, type IntakeObserver } from '../../src/http/shared/bodies/budget.ts'
import { Connections } from '../../src/http/shared/bodies/connections.ts'
import { ARRIVAL_LIMITS } from '../../src/http/shared/bodies/limits.ts'
import type { AuthenticationLimits } from '../../src/http/shared/throttle/limits.ts'
import { BUILT_IN } from '../../src/profiles/builtIn.ts'
import type { ServedProfile } from '../../src/profiles/compile.ts'
import { ServiceRegistry } from '../../src/services/registry.ts'
import type { FlatStorage } from '../support/flatStorage.ts'
import { startReceiver, type TestReceiver } from '../support/receiver.ts'
import { LOOPBACK_RULES, startTestEngine } from '../support/testEngine.ts'
import { openTestStore, type TestStore } from '../support/testStore.ts'

export const ADMIN_TOKEN = 'admin-token-of-the-tests'
/** Token of no relay. */
const RELAY_TOKEN = 'phr_none'

/**
 * More than anything here takes; feeds that never show published events must fail the test and not hang it.
 */
const TIMEOUT_MS = 20_000
/**
 * Longer than a test may take: an answer that it holds back must not time out while it reads pending
 * deliveries.
 */
const RECEIVER_TIMEOUT_MS = 60_000

/** The system's clock, which a test can move forward. Timers are not affected. */
class ShiftedClock implements Clock {
  #offsetMs = 0
  #calendarMs = 0

  forward(ms: number): void {
    this.#offsetMs += ms
  }

  /** Moves the calendar without deadlines: the node keeps its lease, so that deliveries continue. */
  forwardCalendar(ms: number): void {
    this.#calendarMs += ms
  }

  now(): number {
    return systemClock.now() + this.#offsetMs + this.#calendarMs
  }

  monotonic(): number {
    return systemClock.monotonic() + this.#offsetMs
  }

  after(delayMs: number, callback: () => void) {
    return systemClock.after(delayMs, callback)
  }
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely, as a client without types does
  readonly json: any
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT' | 'HEAD'
  readonly url: string
  readonly key?: string | undefined
  /** Sent as JSON; a string or bytes are sent unchanged. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface TestWorkspace {
  readonly id: string
  readonly slug: string
  /** A key with all scopes. */
  readonly key: string
  readonly keyId: string
}

export interface TestService {
  readonly app: FastifyInstance
  /** Every registered route: method, space, pattern. */
  readonly routes: readonly string[]
  /** Listen address. */
  readonly base: string
  readonly engine: Engine
  readonly storage: FlatStorage
  readonly secretBox: SecretBox
  readonly clock: ShiftedClock
  readonly receiver: TestReceiver
  /** Every line that the HTTP layer logged, as JSON. */
  readonly logs: string[]
  call(call: Call): Promise<Answer>
  admin(method: Call['method'], url: string, body?: unknown): Promise<Answer>
  workspace(dialect: string): Promise<TestWorkspace>
  key(workspace: string, body?: object): Promise<{ readonly id: string; readonly key: string }>
  /** Resolves once this many further attempts are recorded. */
  recorded(attempts: number): Promise<void>
  /**
   * Resolves once feeds show all published events: a store of several nodes may delay the newest for a
   * moment.
   */
  settled(): Promise<void>
  stop(): Promise<void>
}

export const SCOPES = {
  content: ['webhooks', 'generations:read', 'events:write'],
  ads: ['webhooks', 'events:write'],
}

const NO_LIMIT = { burst: 1_000_000, everyMs: 1 }
const FOR_NO_CLIENT = { byClient: NO_LIMIT, inAll: NO_LIMIT }
/** All test requests come from one address. */
const NO_LIMITS: AuthenticationLimits = {
  adminTokens: FOR_NO_CLIENT,
  credentials: FOR_NO_CLIENT,
  repeats: NO_LIMIT,
  linksAskedFor: FOR_NO_CLIENT,
  publicKeys: FOR_NO_CLIENT,
}

const SILENT_INTAKE: IntakeObserver = { bodyRefused() {}, connectionRefused() {} }
const BODY_BYTES = 64 * 1024 * 1024

/** Resolves no name, so that no request leaves the machine by mistake. */
const noNames: LookupFunction = (hostname, _options, callback) =>
  callback(Object.assign(new Error(`${hostname} is not asked for`), { code: 'ENOTFOUND' }), [])

/** Streams, which never end on their own. */
const LIVE = /\/deliveries\/live|\/stream$/

/** The beginning of a stream. */
async function firstOf(stream: Readable): Promise<string> {
  for await (const chunk of stream) return String(chunk)
  return ''
}

/** Sends a request over a real connection. */
async function send(base: string, { method, url, key, body, headers }: Call): Promise<Answer> {
  const raw = typeof body === 'string' || Buffer.isBuffer(body)
  // A connection whose stream was canceled is reopened at once, and would delay the stop of the server.
  const dispatcher = new Agent()
  const response = await request(base + url, {
    ...(LIVE.test(url) ? { dispatcher } : {}),
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
  })
  const isStream = response.headers['content-type'] === 'text/event-stream'
  const text = isStream ? await firstOf(response.body) : await response.body.text()
  await dispatcher.destroy()
  const isJson = String(response.headers['content-type']).includes('json')
  return {
    status: response.statusCode,
    headers: response.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : null,
  }
}

/**
 * The whole service.
 * @param replace replacements for dependencies of the HTTP layer
 * @param options.waitsMs before retries; none by default, so that one failed attempt finishes a delivery
 * @param options.services in addition to the built-in ones
 * @param options.store a fresh one by default
 */
export async function startTestService(
  replace: (deps: AppDeps) => Partial<AppDeps> = () => ({}),
  {
    waitsMs = [],
    services: others = [],
    ...options
  }: {
    readonly waitsMs?: readonly number[]
    readonly services?: readonly ServedProfile[]
    readonly store?: TestStore
    readonly clockLimits?: ClockLimits
  } = {},
): Promise<TestService> {
  const clock = new ShiftedClock()
  const receiver = await startReceiver()
  const timeoutMs = RECEIVER_TIMEOUT_MS
  const store = options.store ?? (await openTestStore(clock))
  const quiet = { info() {}, warn() {}, error() {} }
  const services = new ServiceRegistry({
    storage: store.storage.profiles,
    builtIn: [...BUILT_IN, ...others.map(({ profile }) => profile)],
    settingsOf: () => ({ waitsMs, timeoutMs }),
    clock,
    log: quiet,
    failureLog: new FailureLog(clock, quiet),
  })
  await services.start()
  const testEngine = await startTestEngine({
    clock,
    services,
    egress: { lookup: noNames },
    // Tests move the calendar to test expiry.
    clockLimits: { maxLeapMs: Number.POSITIVE_INFINITY, graceMs: 0 },
    ...options,
    store,
  })
  const { engine, storage, secretBox } = testEngine
  const logs: string[] = []
  const log = (level: string) => (fields: object, message: string) => {
    const { err } = fields as { err?: Error }
    logs.push(JSON.stringify({ level, ...fields, message, stack: err?.stack }))
  }
  let base = ''
  const deps: AppDeps = {
    engine,
    storage,
    dialects: services.served,
    services,
    egressRules: LOOPBACK_RULES,
    secretBox,
    adminToken: ADMIN_TOKEN,
    relayToken: RELAY_TOKEN,
    clock,
    logger: { info: log('info'), warn: log('warn'), error: log('error') },
    trail: silentTrail,
    tracing: null,
    onNotified() {},
    authenticationLimits: NO_LIMITS,
    authenticationObserver: { failed() {} },
    bodyBudget: new BodyBudget(BODY_BYTES, SILENT_INTAKE),
    arrivals: new Arrivals(clock, ARRIVAL_LIMITS),
    connections: new Connections(5_000, [], SILENT_INTAKE),
    adminConnections: new Connections(5_000, [], SILENT_INTAKE),
    warnings: testEngine.warnings,
    overview: createOverviewWatch({ storage: storage.stats, clock }),
    isReady: readinessOf(engine, clock),
    storeFacts: { kind: 'embedded', schemaVersion: 1, bytes: async () => 1 },
    dataDir: process.cwd(),
    outboxState: () => null,
    metricsText: async () => '# HELP posthorn_up Whether it is up.\nposthorn_up 1\n',
    consoleDirectory: null,
    downloadsDirectory: join(import.meta.dirname, '../../downloads'),
    helpDirectory: null,
    referenceDirectory: join(import.meta.dirname, '../../reference'),
    sendsEmail: true,
    publicUrl: () => base,
    adminUrl: null,
    signInProvider: null,
    tls: null,
    retentionMs: 30 * DAY_MS,
    portalOrigins: [],
    trustedProxies: [],
    quotas: DEFAULT_QUOTAS,
    consumerObserver: { reader() {}, handedOut() {}, acknowledged() {} },
  }
  const app = buildApp({ ...deps, ...replace(deps) })
  const routes: string[] = []
  app.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat()) if (name !== 'HEAD') routes.push(`${name} ${url}`)
  })
  base = await app.listen({ host: '127.0.0.1', port: 0 })
  const call = (asked: Call) => send(base, asked)
  const admin = (method: Call['method'], url: string, body?: unknown) =>
    call({ method, url: `/admin/v1${url}`, key: ADMIN_TOKEN, body })
  let workspaces = 0
  const newWorkspace = async (dialect: string): Promise<{ id: string; slug: string }> => {
    workspaces += 1
    const slug = `${dialect}-${workspaces}`
    return (await admin('POST', '/workspaces', { dialect, slug, name: `The ${slug}` })).json
  }
  let awaited = 0
  return {
    app,
    routes,
    base,
    engine,
    storage,
    secretBox,
    clock,
    receiver,
    logs,
    call,
    admin,
    async workspace(dialect) {
      const { id, slug } = await newWorkspace(dialect)
      const key = { name: 'all', scopes: services.served.get(dialect)!.scopes }
      const { status, json: made } = await admin('POST', `/workspaces/${id}/keys`, key)
      if (status !== 201) throw new Error(`no key was made: ${JSON.stringify(made)}`)
      return { id, slug, key: made.key, keyId: made.id }
    },
    async key(workspace, body = {}) {
      const scopes = ['webhooks', 'events:write']
      const key = { name: 'another', scopes, ...body }
      return (await admin('POST', `/workspaces/${workspace}/keys`, key)).json
    },
    recorded(attempts) {
      awaited += attempts
      return testEngine.untilRecorded(awaited)
    },
    async settled() {
      const marker = await testEngine.createWorkspace('content')
      await testEngine.publish(marker)
      const feed = { workspaceId: marker.id, eventTypes: null, after: null, limit: 1 }
      const deadline = performance.now() + TIMEOUT_MS
      while ((await storage.listEvents(feed)).events.length === 0) {
        if (performance.now() > deadline)
          throw new Error('waited in vain for feeds to show what is published')
        // PostgreSQL does not report the end of transactions that delay feeds, in this store or another
        // database.
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
      await storage.deleteWorkspace({ workspaceId: marker.id, now: clock.now() })
    },
    async stop() {
      await services.stop()
      await app.close()
      await testEngine.stop()
      await receiver.close()
    },
  }
}
