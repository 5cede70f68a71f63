import { DAY_MS, HOUR_MS, SECOND_MS } from '../core/duration.ts'
import type { EgressRules } from '../core/targets/index.ts'
import type { TlsIdentity } from '../http/shared/servers.ts'
import { adsProfile, contentProfile } from '../profiles/builtIn.ts'
import { LIMIT_SETTINGS } from './config/limitSettings.ts'
import { OIDC_SETTINGS } from './config/oidcSettings.ts'
import type { ServicesValues } from './config/servicesValues.ts'
import { duration, optional, type Setting, setting, text } from './config/setting.ts'
import { TELEMETRY_SETTINGS } from './config/telemetrySettings.ts'
import type { OpenFile } from './config/textFile.ts'
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
  type LogLevel,
  leaseDuration,
  logLevel,
  masterKeys,
  outboxSource,
  shutdownDelay,
  smtpUrl,
  waits,
} from './settingValues.ts'
import { httpUrl, portalOrigins, trustedProxies } from './webSettings.ts'

export { SettingError } from './config/setting.ts'

/**
 * Every setting. The help, the configuration file, `posthorn config` and docs/configuration.md are generated from this table.
 */
export const SETTINGS = {
  configFile: {
    ...optional('POSTHORN_CONFIG_FILE', 'YAML file with settings', (file) => file),
    flag: 'config',
    details: 'YAML file with settings, see above',
    neverEmpty: true,
  },
  host: text('POSTHORN_HOST', 'address to listen on', '127.0.0.1'),
  port: setting('POSTHORN_PORT', 'port to listen on; 0: any free port', '8080', 8080, integer(0, 65_535)),
  logLevel: {
    ...setting<LogLevel>(
      'POSTHORN_LOG_LEVEL',
      'minimum level of log lines: debug, info, warn or error',
      'info',
      'info',
      logLevel,
    ),
    details: 'minimum level of log lines: `debug`, `info`, `warn` or `error`',
    reloads: true,
  },
  tlsCertFile: {
    ...optional(
      'POSTHORN_TLS_CERT_FILE',
      'PEM file of a certificate with its chain, for HTTPS',
      (file) => file,
    ),
    details:
      'PEM file of a certificate and its chain. If it and `POSTHORN_TLS_KEY_FILE` are set, Posthorn serves only HTTPS (TLS 1.2 and 1.3), on all of its addresses',
    withoutIt: 'HTTP',
    reloads: true,
  },
  tlsKeyFile: {
    ...optional('POSTHORN_TLS_KEY_FILE', 'PEM file of the private key of that certificate', (file) => file),
    reloads: true,
  },
  adminHost: text(
    'POSTHORN_ADMIN_HOST',
    'address of the admin listener, if POSTHORN_ADMIN_PORT is set',
    '127.0.0.1',
  ),
  adminPort: {
    ...optional(
      'POSTHORN_ADMIN_PORT',
      'port of the admin listener; if set, only this port serves /admin/v1 and /metrics; 0: any free port',
      integer(0, 65_535),
    ),
    details:
      'port of a second listener, for operators. If set, only this port serves `/admin/v1` and `/metrics`; on the public port they answer 404. Both ports serve everything else. `0`: any free port. See [an admin address](#an-admin-address)',
    withoutIt: 'one port for everything',
  },
  adminUrl: {
    ...optional(
      'POSTHORN_ADMIN_URL',
      'URL of the admin listener for operators, if POSTHORN_ADMIN_PORT is set',
      httpUrl,
    ),
    details:
      'URL of the admin listener for operators and commands; sign-in links that the admin API creates for operators use it',
    withoutIt: 'its listen address',
  },
  dataDir: text('POSTHORN_DATA_DIR', 'where the embedded store and generated keys are kept', './data'),
  databaseUrl: {
    ...optional('POSTHORN_DATABASE_URL', 'PostgreSQL instead of the embedded store', databaseUrl),
    // If a secret was not filled in, the service must not start on an embedded store.
    neverEmpty: true,
    details:
      'PostgreSQL instead of the embedded store, as `postgres://user:password@host:5432/database`; see [many nodes](operations/high-availability.md)',
    withoutIt: 'the embedded store',
    secret: 'password',
  },
  newStore: {
    ...setting(
      'POSTHORN_NEW_STORE',
      'start with an empty store even if an earlier one was lost',
      '',
      false,
      boolean,
    ),
    isSwitch: true,
    details:
      '`true` starts with an empty store even if the data directory shows that an earlier one was lost. A first start does not need it; see [when the store is gone](operations/moving-and-backups.md#when-the-store-is-gone)',
    withoutIt: '`false`',
  },
  adminToken: {
    ...optional(
      'POSTHORN_ADMIN_TOKEN',
      'token that gives access to /admin/v1; generated if not set',
      adminToken,
    ),
    details:
      'token that gives access to `/admin/v1`; 16 to 512 visible ASCII characters. See [admin tokens](operations/admin-tokens.md)',
    withoutIt: 'generated into the data directory, shown once',
    secret: 'whole',
  },
  masterKey: {
    ...optional(
      'POSTHORN_MASTER_KEY',
      'key that encrypts signing secrets; 32 bytes in base64. Further keys, separated by commas, only decrypt',
      masterKeys,
    ),
    details:
      'key that encrypts signing secrets; 32 bytes in base64, such as from `openssl rand -base64 32`. Further keys, separated by commas, only decrypt; see [how to replace the key](operations/master-key.md)',
    withoutIt: 'generated into the data directory',
    secret: 'whole',
  },
  publicUrl: {
    ...optional('POSTHORN_PUBLIC_URL', 'URL of this service for people', httpUrl),
    details:
      'URL of the service for people and commands; e-mails link to it. With `https:`, cookies are sent only over TLS. A user name or password is not allowed',
    withoutIt: 'the listen address',
  },
  smtpUrl: {
    ...optional('POSTHORN_SMTP_URL', 'mail server; without one, e-mails are written as files', smtpUrl),
    // If the server was not filled in, e-mails must not become files.
    neverEmpty: true,
    details:
      'mail server, `smtp://user:password@host:587` or `smtps://…`; see [e-mail](operations/e-mail.md)',
    withoutIt: 'e-mails are written to `emails` in the data directory',
    secret: 'password',
  },
  emailFrom: {
    ...optional('POSTHORN_EMAIL_FROM', 'sender of e-mails; required with a mail server', emailFrom),
    withoutIt: '`Posthorn <posthorn@localhost>`',
  },
  ...OIDC_SETTINGS,
  portalOrigins: {
    ...optional(
      'POSTHORN_PORTAL_ORIGINS',
      'origins whose pages may embed the console in a frame, separated by commas',
      portalOrigins,
    ),
    details:
      'origins whose pages may embed the console in a frame; its copy buttons need `allow="clipboard-write"` on the frame',
    isList: true,
  },
  trustedProxies: {
    ...optional(
      'POSTHORN_TRUSTED_PROXIES',
      'addresses and CIDRs of reverse proxies, whose X-Forwarded-For is trusted, separated by commas',
      trustedProxies,
    ),
    details:
      'addresses and CIDRs of reverse proxies. Their `X-Forwarded-For` is trusted for logs and sign-in limits',
    isList: true,
  },
  egressAllow: {
    ...optional(
      'POSTHORN_EGRESS_ALLOW',
      'non-public host names, addresses and CIDRs that receivers may use, separated by commas',
      egressAllow,
    ),
    details:
      'host names, addresses and CIDRs that receivers may use besides public HTTPS. A URL may have `http:` and any port if its host is a listed name, a listed address or an address in a listed CIDR. A name that is not listed but resolves to such an address needs HTTPS and an allowed port. Each start logs a warning for very large networks and for addresses where clouds give out credentials',
    isList: true,
  },
  egressPorts: {
    ...optional(
      'POSTHORN_EGRESS_PORTS',
      'ports that receivers may use besides 443 and 8443, separated by commas',
      egressPorts,
    ),
    details: 'ports that receivers may use besides 443 and 8443',
    isList: true,
  },
  egressCa: {
    ...optional(
      'POSTHORN_EGRESS_CA_FILE',
      'PEM file of additional certificate authorities to trust when sending',
      certificates,
    ),
    reloads: true,
  },
  egressProxy: {
    ...optional('POSTHORN_EGRESS_PROXY', 'forward proxy for deliveries, http://host:port', proxyUrl),
    details:
      "forward proxy for deliveries, `http://host:port`; it must allow CONNECT to the ports of receivers. **By default the proxy resolves receivers' names, so the proxy itself must block internal addresses**: Posthorn then checks names and ports only",
    secret: 'password',
  },
  egressProxyResolve: {
    ...setting<'proxy' | 'local'>(
      'POSTHORN_EGRESS_PROXY_RESOLVE',
      "who resolves receivers' names if there is a forward proxy: proxy (the proxy must block internal addresses) or local (Posthorn resolves and checks them)",
      'proxy',
      'proxy',
      proxyResolve,
    ),
    details:
      "`proxy`: the proxy resolves receivers' names. `local`: Posthorn resolves each name, checks the addresses as it does without a proxy, and sends the proxy an address instead of the name; TLS and `Host` keep the name",
  },
  egressProbe: {
    ...optional(
      'POSTHORN_EGRESS_PROBE',
      'host:port that Posthorn connects to when it checks its own network, in addition to receivers that answered recently',
      probeTarget,
    ),
    details:
      '`host:port` that accepts connections whenever your network works, such as a highly available server of yours on the internet. Set it if you have fewer than three receivers or one workspace; see [outages](operations/outages.md)',
    withoutIt: 'only receivers that answered within a day are checked',
  },
  contentRetry: {
    ...setting(
      'POSTHORN_CONTENT_RETRY',
      'waits before retries',
      '5s,5m,30m,2h,5h,8h,9h',
      contentProfile.policy.waitsMs,
      waits,
    ),
    details: 'waits before the retries of the service `content`, such as `5s,5m,1h`',
    isList: true,
  },
  adsRetry: {
    ...setting(
      'POSTHORN_ADS_RETRY',
      'waits before retries',
      '30s,90s,4.5m,13.5m,40.5m,2h,6h',
      adsProfile.policy.waitsMs,
      waits,
    ),
    details: 'waits before the retries of the service `ads`, such as `30s,5m,1h`',
    isList: true,
  },
  contentTimeout: {
    ...duration(
      'POSTHORN_CONTENT_TIMEOUT',
      'how long a receiver has to answer',
      '15s',
      contentProfile.policy.timeoutMs,
    ),
    details: 'how long a receiver of `content` has to answer',
  },
  adsTimeout: {
    ...duration(
      'POSTHORN_ADS_TIMEOUT',
      'how long a receiver has to answer',
      '10s',
      adsProfile.policy.timeoutMs,
    ),
    details: 'how long a receiver of `ads` has to answer',
  },
  failingAfter: {
    ...duration(
      'POSTHORN_FAILING_AFTER',
      'a content webhook that fails for this long is disabled',
      '24h',
      contentProfile.policy.disableAfterMs!,
    ),
    details:
      'a `content` webhook that fails for this long is disabled; [outages](operations/outages.md) of Posthorn do not count. Other services set it in their profile',
  },
  secretOverlap: {
    ...duration(
      'POSTHORN_SECRET_OVERLAP',
      'how long a replaced secret still signs',
      '24h',
      contentProfile.policy.secretOverlapMs,
    ),
    details:
      'how long a replaced secret of `content` still signs, together with the new one. Other services set it in their profile',
  },
  retention: duration(
    'POSTHORN_RETENTION',
    'how long events, the delivery log and e-mail files are kept',
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
  shutdownDelay: {
    ...setting(
      'POSTHORN_SHUTDOWN_DELAY',
      'how long a stopping node still accepts requests, so that proxies can switch to other nodes; 0s to 5m',
      '0s',
      0,
      shutdownDelay,
    ),
    details:
      'how long a stopping node still accepts requests, up to 5m. Meanwhile `/readyz` answers 503 and each response closes its connection. Behind a proxy, set it to more than twice the health check interval of the proxy. The stop then takes up to 20 s more: set the stop timeout of your supervisor above the sum',
  },
  clockLeap: duration(
    'POSTHORN_CLOCK_LEAP',
    'smallest change of the clock that counts as a jump while the service runs',
    '30s',
    30 * SECOND_MS,
  ),
  clockGrace: {
    ...duration(
      'POSTHORN_CLOCK_GRACE',
      'how long the clock must be steady before anything is deleted, after a jump, after a day without the service, or with a new store',
      '1h',
      HOUR_MS,
    ),
    details:
      'how long the clock must be steady before anything is deleted, after a jump, after a day without the service, or with a new store ([ADR 28](adr/0028-clock-leaps.md))',
  },
  ...LIMIT_SETTINGS,
  ...TELEMETRY_SETTINGS,
  outboxSource: {
    ...optional(
      'POSTHORN_OUTBOX_SOURCE',
      'database of a producer whose outbox this service publishes: a PostgreSQL URL, or `sqlite:` and the path of a file',
      outboxSource,
    ),
    details:
      'database of a producer whose outbox the service publishes: a PostgreSQL URL, or `sqlite:` and the path of a file ([outbox](outbox.md))',
    secret: 'password',
  },
  outboxSchema: text('POSTHORN_OUTBOX_SCHEMA', 'schema of that outbox in PostgreSQL', 'posthorn'),
} as const

export type SettingName = keyof typeof SETTINGS

/** Settings of commands on a store. */
export const STORE_SETTINGS = ['dataDir', 'databaseUrl', 'masterKey'] as const
/** Settings of commands that create a store where there is none. */
export const NEW_STORE_SETTINGS = [...STORE_SETTINGS, 'newStore'] as const
/** Settings of the addresses of a service. */
export const LISTEN_SETTINGS = ['host', 'port', 'tlsCertFile'] as const

export const SERVICE_SETTINGS = ['publicUrl', ...LISTEN_SETTINGS] as const
/** Settings of commands that use the admin API. */
export const ADMIN_SETTINGS = [
  ...SERVICE_SETTINGS,
  'adminUrl',
  'adminHost',
  'adminPort',
  'adminToken',
  'dataDir',
] as const

type Value<S> = S extends Setting<infer T> ? T : never

/** All parsed settings. A reload creates a new object. */
export type Config = Readonly<{ [K in SettingName]: Value<(typeof SETTINGS)[K]> }> & {
  readonly egressRules: EgressRules
  /** Settings of services, by variable. */
  readonly ofServices: ServicesValues
  /** The content of the certificate file and the key file; `null`: no TLS, or the command does not serve. */
  readonly tls: TlsIdentity | null
  /** Files with secrets to which other users have access. */
  readonly openFiles: readonly OpenFile[]
}
