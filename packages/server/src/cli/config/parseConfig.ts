import type { Quotas } from '../../core/quotas.ts'
import { parseEgressRules } from '../../core/targets/index.ts'
import { type Config, SETTINGS, type SettingName } from '../settings.ts'
import { oidcContradictions } from './oidcSettings.ts'
import { parseServicesValues } from './servicesValues.ts'
import { type Setting, SettingError } from './setting.ts'
import { labelOf } from './source.ts'
import type { Gathered } from './sources.ts'
import { readTlsIdentity } from './tlsIdentity.ts'

/** @throws SettingError with a line for each setting that cannot be used; absent ones have their default */
export function parseConfig(texts: Readonly<Partial<Record<SettingName, string>>>): Config {
  const given = new Map(
    (Object.entries(texts) as [SettingName, string][]).map(([name, text]) => [
      name,
      { text, source: { kind: 'environment', variable: SETTINGS[name].variable } } as const,
    ]),
  )
  const names = Object.keys(SETTINGS) as SettingName[]
  return usable(parseGathered({ given, ofServices: new Map(), mistakes: [], openFiles: [], names }))
}

/** Settings, where they came from, and what is wrong with them. */
export interface SettingsRead extends Gathered {
  /** `null` when there are mistakes. */
  readonly config: Config | null
}

/** @throws SettingError with a line for each mistake */
export function usable({ config, mistakes }: SettingsRead): Config {
  if (config === null) throw new SettingError(mistakes.join('\n'))
  return config
}

export function parseGathered(gathered: Gathered): SettingsRead {
  const mistakes = [...gathered.mistakes]
  const config = parse(gathered, mistakes)
  return { ...gathered, mistakes, config }
}

/** @param mistakes receives a line for each setting that cannot be used @returns `null` when there is any */
function parse({ given, ofServices, openFiles, names }: Gathered, mistakes: string[]): Config | null {
  const config: { -readonly [K in keyof Config]?: Config[K] } = {}
  const values: Record<string, unknown> = config
  for (const [name, setting] of Object.entries(SETTINGS) as [SettingName, Setting<unknown>][]) {
    const { text, source } = given.get(name) ?? {}
    try {
      const isDefault = text === undefined || (text === '' && setting.neverEmpty !== true)
      values[name] = isDefault ? setting.fallback : setting.parse(text)
    } catch (error) {
      mistakes.push(
        `${labelOf(setting.variable, source)}: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }
  config.ofServices = parseServicesValues(ofServices, mistakes)
  const opened = [...openFiles]
  config.tls = names.includes('tlsKeyFile') ? readTlsIdentity(config, mistakes, opened) : null
  config.openFiles = opened
  mistakes.push(...contradictions(config))
  if (mistakes.length > 0) return null
  const { egressAllow: allow, egressPorts: ports } = config
  config.egressRules = parseEgressRules({ allow: allow ?? undefined, ports: ports ?? undefined })
  return Object.freeze(config) as Config
}

/** Settings that contradict each other. Settings that could not be parsed are absent. */
function contradictions(config: Partial<Config>): readonly string[] {
  const { smtpUrl, emailFrom, egressProxyResolve, egressProxy, otlpHeaders, otlpEndpoint } = config
  const lines: string[] = []
  if (smtpUrl != null && emailFrom === null)
    lines.push(
      'POSTHORN_EMAIL_FROM: set a sender such as Posthorn <posthorn@example.com>. It is required with POSTHORN_SMTP_URL',
    )
  if (egressProxyResolve === 'local' && egressProxy === null)
    lines.push(
      'POSTHORN_EGRESS_PROXY_RESOLVE: "local" requires a forward proxy. Set POSTHORN_EGRESS_PROXY too',
    )
  if (otlpHeaders != null && otlpEndpoint === null)
    lines.push(
      'POSTHORN_OTLP_HEADERS: set POSTHORN_OTLP_ENDPOINT too. Without it, no collector gets these headers',
    )
  return [...lines, ...oidcContradictions(config)]
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
