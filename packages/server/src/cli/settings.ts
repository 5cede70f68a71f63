import { DAY_MS, HOUR_MS, SECOND_MS } from '../core/duration.ts'
import { QUOTAS, type QuotaName, type Quotas } from '../core/quotas.ts'
import { type EgressRules, parseEgressRules } from '../core/targets/index.ts'
import { MIN_BODY_BYTES } from '../http/shared/bodies/limits.ts'
import { adsProfile, contentProfile } from '../profiles/builtIn.ts'
import {
  certificates,
  egressAllow,
  egressPorts,
  probeTarget,
  proxyResolve,
  proxyUrl,
} from './egressSettings.ts'
import {
  adminToken,
  boolean,
  databaseUrl,
  emailFrom,
  integer,
  leaseDuration,
  masterKey,
  outboxSource,
  positiveDuration,
  smtpUrl,
  waits,
} from './settingValues.ts'
import { httpUrl, portalOrigins, trustedProxies } from './webSettings.ts'

/** Something the operator set cannot be used; the message is one line that names it. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
}

/** One variable, which is also a flag of `posthorn serve`. */
export interface Setting<T> {
  readonly variable: string
  /** Shown in the help. */
  readonly meaning: string
  /** The default, as one would write it; empty when there is none. */
  readonly byDefault: string
  readonly fallback: T
  /** @throws Error whose message says what would be right */
  readonly parse: (text: string) => T
  /** Refuses an empty text, which means the default elsewhere. */
  readonly neverEmpty?: true
  /** As a flag it takes no value and means `true`. */
  readonly isSwitch?: true
}

export const SETTINGS = {
  host: text('POSTHORN_HOST', 'address to listen on', '127.0.0.1'),
  port: setting('POSTHORN_PORT', 'port to listen on; 0 takes a free one', '8080', 8080, integer(0, 65_535)),
  dataDir: text('POSTHORN_DATA_DIR', 'where the embedded store and generated keys are kept', './data'),
  databaseUrl: {
    ...optional('POSTHORN_DATABASE_URL', 'PostgreSQL instead of the embedded store', databaseUrl),
    // A secret that was not filled in must not begin a store of its own that nobody asked for.
    neverEmpty: true,
  },
  newStore: {
    ...setting('POSTHORN_NEW_STORE', 'start with an empty store where one is missing', '', false, boolean),
    isSwitch: true,
  },
  adminToken: optional('POSTHORN_ADMIN_TOKEN', 'opens /admin/v1; generated when not set', adminToken),
  masterKey: optional('POSTHORN_MASTER_KEY', 'encrypts signing secrets; 32 bytes in base64', masterKey),
  publicUrl: optional('POSTHORN_PUBLIC_URL', 'where people reach this service', httpUrl),
  smtpUrl: {
    ...optional('POSTHORN_SMTP_URL', 'mail server; without one, e-mails are written as files', smtpUrl),
    // A server that was not filled in must not turn e-mails into files that nobody reads.
    neverEmpty: true,
  },
  emailFrom: optional('POSTHORN_EMAIL_FROM', 'sender of e-mails, needed with a mail server', emailFrom),
  portalOrigins: optional(
    'POSTHORN_PORTAL_ORIGINS',
    'origins whose pages may show the console in a frame, separated by commas',
    portalOrigins,
  ),
  trustedProxies: optional(
    'POSTHORN_TRUSTED_PROXIES',
    'addresses and CIDRs of reverse proxies, whose X-Forwarded-For is believed, separated by commas',
    trustedProxies,
  ),
  egressAllow: optional(
    'POSTHORN_EGRESS_ALLOW',
    'hosts, addresses and CIDRs that need not be public, separated by commas',
    egressAllow,
  ),
  egressPorts: optional(
    'POSTHORN_EGRESS_PORTS',
    'ports that receivers may use besides 443 and 8443, separated by commas',
    egressPorts,
  ),
  egressCa: optional('POSTHORN_EGRESS_CA_FILE', 'PEM file of certificates to trust as well', certificates),
  egressProxy: optional('POSTHORN_EGRESS_PROXY', 'forward proxy for deliveries, http://host:port', proxyUrl),
  egressProxyResolve: setting<'proxy' | 'local'>(
    'POSTHORN_EGRESS_PROXY_RESOLVE',
    "who resolves receivers' names behind a forward proxy: proxy (it must block internal addresses itself) or local (Posthorn gives it checked addresses)",
    'proxy',
    'proxy',
    proxyResolve,
  ),
  egressProbe: optional(
    'POSTHORN_EGRESS_PROBE',
    'host:port to connect to when Posthorn checks its own network; without it, only receivers that answered lately',
    probeTarget,
  ),
  contentRetry: setting(
    'POSTHORN_CONTENT_RETRY',
    'waits before retries',
    '5s,5m,30m,2h,5h,8h,9h',
    contentProfile.policy.waitsMs,
    waits,
  ),
  adsRetry: setting(
    'POSTHORN_ADS_RETRY',
    'waits before retries',
    '30s,90s,4.5m,13.5m,40.5m,2h,6h',
    adsProfile.policy.waitsMs,
    waits,
  ),
  contentTimeout: duration(
    'POSTHORN_CONTENT_TIMEOUT',
    "a receiver's time",
    '15s',
    contentProfile.policy.timeoutMs,
  ),
  adsTimeout: duration('POSTHORN_ADS_TIMEOUT', "a receiver's time", '10s', adsProfile.policy.timeoutMs),
  failingAfter: duration(
    'POSTHORN_FAILING_AFTER',
    'a content webhook that fails for this long is disabled',
    '24h',
    contentProfile.policy.switchOffAfterMs!,
  ),
  secretOverlap: duration(
    'POSTHORN_SECRET_OVERLAP',
    'how long a replaced secret goes on signing',
    '24h',
    contentProfile.policy.secretOverlapMs,
  ),
  retention: duration(
    'POSTHORN_RETENTION',
    'how long events, the log and e-mails written to files are kept',
    '30d',
    30 * DAY_MS,
  ),
  lease: setting(
    'POSTHORN_LEASE',
    'lease duration of a node; when it expires, other nodes take over its deliveries; 2s to 10m',
    '30s',
    30 * SECOND_MS,
    leaseDuration,
  ),
  clockLeap: duration(
    'POSTHORN_CLOCK_LEAP',
    'how far the clock may be set while the service runs before that counts as a leap',
    '30s',
    30 * SECOND_MS,
  ),
  clockGrace: duration(
    'POSTHORN_CLOCK_GRACE',
    'how long the clock must be steady before anything is deleted, after a leap, after a day without the service, or with a new store',
    '1h',
    HOUR_MS,
  ),
  maxInFlight: setting(
    'POSTHORN_MAX_IN_FLIGHT',
    'attempts under way at once',
    '512',
    512,
    integer(1, 10_000),
  ),
  maxInFlightPerWebhook: setting(
    'POSTHORN_MAX_IN_FLIGHT_PER_WEBHOOK',
    'attempts under way at once to one webhook',
    '10',
    10,
    integer(1, 1_000),
  ),
  maxWebhooks: quota('webhooks'),
  maxEventsPerSecond: quota('eventsPerSecond'),
  maxBytesPerDay: quota('bytesPerDay'),
  maxPending: quota('pendingDeliveries'),
  maxFanout: quota('uncreatedDeliveries'),
  maxReplays: quota('unfinishedReplays'),
  maxChanges: quota('changesPerMinute'),
  maxStreams: quota('streams'),
  maxConsumers: quota('consumers'),
  maxReaders: quota('readers'),
  maxBodyBytes: setting(
    'POSTHORN_MAX_BODY_BYTES',
    'bytes of request bodies in progress at once',
    '67108864',
    64 * 1024 * 1024,
    integer(MIN_BODY_BYTES, 1024 ** 4),
  ),
  outboxSource: optional(
    'POSTHORN_OUTBOX_SOURCE',
    'database of a producer whose outbox this service publishes: a PostgreSQL URL, or sqlite: and the path of a file',
    outboxSource,
  ),
  outboxSchema: text('POSTHORN_OUTBOX_SCHEMA', 'schema of that outbox in PostgreSQL', 'posthorn'),
  maxConnections: setting(
    'POSTHORN_MAX_CONNECTIONS',
    'connections of clients at once, half of them of one address',
    '5000',
    5_000,
    integer(10, 1_000_000),
  ),
} as const

export type SettingName = keyof typeof SETTINGS

/** What a setting is, for the help. */
export function meaningOf({ meaning, byDefault }: Pick<Setting<unknown>, 'meaning' | 'byDefault'>): string {
  return byDefault === '' ? meaning : `${meaning}, by default ${byDefault}`
}

/** What commands on a store read. */
export const STORE_SETTINGS = ['dataDir', 'databaseUrl', 'masterKey'] as const
/** What commands read that make a store where there is none. */
export const NEW_STORE_SETTINGS = [...STORE_SETTINGS, 'newStore'] as const
/** What finds a running service. */
export const SERVICE_SETTINGS = ['publicUrl', 'host', 'port'] as const
/** What opens its administration. */
export const ADMIN_SETTINGS = [...SERVICE_SETTINGS, 'adminToken', 'dataDir'] as const

type Value<S> = S extends Setting<infer T> ? T : never

/** All settings, read and checked once; handed down and never read again. */
export type Config = Readonly<{ [K in SettingName]: Value<(typeof SETTINGS)[K]> }> & {
  readonly egressRules: EgressRules
}

/**
 * @param given texts by setting; absent means the default, and so does empty where that is not refused
 * @throws SettingError naming the first variable that cannot be used
 */
export function parseConfig(given: Readonly<Partial<Record<SettingName, string>>>): Config {
  const config: Record<string, unknown> = {}
  for (const [name, { variable, parse, fallback, neverEmpty }] of Object.entries(SETTINGS) as [
    SettingName,
    Setting<unknown>,
  ][]) {
    const value = given[name]
    try {
      const isDefault = value === undefined || (value === '' && neverEmpty !== true)
      config[name] = isDefault ? fallback : parse(value)
    } catch (error) {
      throw new SettingError(`${variable}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const { egressAllow: allow, egressPorts: ports } = config as Pick<Config, 'egressAllow' | 'egressPorts'>
  if (config.smtpUrl !== null && config.emailFrom === null)
    throw new SettingError(
      'POSTHORN_EMAIL_FROM: set a sender such as Posthorn <posthorn@example.com>. POSTHORN_SMTP_URL needs one',
    )
  if (config.egressProxyResolve === 'local' && config.egressProxy === null)
    throw new SettingError(
      'POSTHORN_EGRESS_PROXY_RESOLVE: local needs POSTHORN_EGRESS_PROXY, which is not set',
    )
  config.egressRules = parseEgressRules({ allow: allow ?? undefined, ports: ports ?? undefined })
  return Object.freeze(config) as Config
}

function setting<T>(
  variable: string,
  meaning: string,
  byDefault: string,
  fallback: T,
  parse: (text: string) => T,
): Setting<T> {
  return { variable, meaning, byDefault, fallback, parse }
}

function quota(name: QuotaName): Setting<number> {
  const { variable, meaning, byDefault, most } = QUOTAS[name]
  return setting(variable, meaning, String(byDefault), byDefault, integer(1, most))
}

export function quotasOf(config: Config): Quotas {
  return {
    webhooks: config.maxWebhooks,
    eventsPerSecond: config.maxEventsPerSecond,
    bytesPerDay: config.maxBytesPerDay,
    pendingDeliveries: config.maxPending,
    uncreatedDeliveries: config.maxFanout,
    unfinishedReplays: config.maxReplays,
    changesPerMinute: config.maxChanges,
    streams: config.maxStreams,
    consumers: config.maxConsumers,
    readers: config.maxReaders,
  }
}

function text(variable: string, meaning: string, fallback: string): Setting<string> {
  return setting(variable, meaning, fallback, fallback, (value) => value)
}

function optional<T>(variable: string, meaning: string, parse: (text: string) => T): Setting<T | null> {
  return setting<T | null>(variable, meaning, '', null, parse)
}

function duration(variable: string, meaning: string, byDefault: string, fallback: number): Setting<number> {
  return setting(variable, meaning, byDefault, fallback, positiveDuration)
}
