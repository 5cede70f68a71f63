import { isDeepStrictEqual } from 'node:util'
import type { Logger } from '../../engine/log/logger.ts'
import { type Config, SETTINGS, type SettingName } from '../settings.ts'
import type { SettingsRead } from './parseConfig.ts'
import type { Setting } from './setting.ts'

/** Which changes of settings can be applied to a running service. */
interface Changes {
  /** The settings to run with from now on: new ones if they can be applied, otherwise the old ones. */
  readonly config: Config
  /** Variables whose new values are applied. */
  readonly applied: readonly string[]
  /** Variables whose new values take effect at the next start. */
  readonly waiting: readonly string[]
}

/** Compares parsed values: the content of a file counts, not only its name. */
export function changesBetween(running: Config, wanted: Config): Changes {
  const config: Record<string, unknown> = { ...running }
  const applied: string[] = []
  const waiting: string[] = []
  for (const [name, { variable, reloads }] of Object.entries(SETTINGS) as [SettingName, Setting<unknown>][]) {
    if (isDeepStrictEqual(running[name], wanted[name])) continue
    // A listener cannot change between HTTP and HTTPS while it listens.
    const isSwitched = IS_TLS.has(name) && (running.tls === null) !== (wanted.tls === null)
    if (reloads !== true || isSwitched) {
      waiting.push(variable)
      continue
    }
    config[name] = wanted[name]
    applied.push(variable)
  }
  if (running.tls !== null && wanted.tls !== null && !isDeepStrictEqual(running.tls, wanted.tls)) {
    config.tls = wanted.tls
    if (!applied.includes(CERTIFICATE)) applied.push(CERTIFICATE)
  }
  for (const kind of ['waits', 'timeouts'] as const)
    waiting.push(...differing(running.ofServices[kind], wanted.ofServices[kind]))
  config.openFiles = wanted.openFiles
  return { config: Object.freeze(config) as unknown as Config, applied, waiting }
}

const CERTIFICATE = SETTINGS.tlsCertFile.variable
const IS_TLS: ReadonlySet<SettingName> = new Set(['tlsCertFile', 'tlsKeyFile'])

const differing = (one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>) =>
  [...new Set([...one.keys(), ...other.keys()])].filter(
    (variable) => !isDeepStrictEqual(one.get(variable), other.get(variable)),
  )

/** Applies changed settings to a running service: all of them, or none if there is any mistake. */
export class Reloader {
  readonly #read: () => Promise<SettingsRead>
  readonly #prepare: (config: Config) => () => void
  readonly #changedFiles: (config: Config) => readonly string[]
  readonly #logger: Logger
  #running: Config
  #underWay: Promise<void> | null = null
  #askedAgain = false

  constructor(params: {
    readonly running: Config
    readonly read: () => Promise<SettingsRead>
    /**
     * Prepares everything that can fail, and changes nothing.
     * @returns a function that applies all of it; it must not fail
     * @throws Error that says why the settings cannot be applied
     */
    readonly prepare: (config: Config) => () => void
    /** Files outside the settings whose new content takes effect at the next start. */
    readonly changedFiles?: (config: Config) => readonly string[]
    readonly logger: Logger
  }) {
    this.#running = params.running
    this.#read = params.read
    this.#prepare = params.prepare
    this.#changedFiles = params.changedFiles ?? (() => [])
    this.#logger = params.logger
  }

  /** Called during a reload, it reloads once more afterwards: the files may have changed since they were read. */
  reload(): Promise<void> {
    this.#askedAgain = this.#underWay !== null
    this.#underWay ??= this.#reloadAll().finally(() => {
      this.#underWay = null
    })
    return this.#underWay
  }

  async #reloadAll(): Promise<void> {
    do {
      this.#askedAgain = false
      await this.#reloadOnce()
    } while (this.#askedAgain)
  }

  async #reloadOnce(): Promise<void> {
    try {
      const { config: wanted, mistakes } = await this.#read()
      if (wanted === null) {
        this.#logger.error(
          { errors: mistakes },
          'settings not reloaded: they have errors; the previous settings stay in effect',
        )
        return
      }
      const { config, applied, waiting: settings } = changesBetween(this.#running, wanted)
      const waiting = [...settings, ...this.#changedFiles(wanted)]
      this.#prepare(config)()
      this.#running = config
      this.#logger.info({ changed: applied }, 'settings reloaded')
      if (waiting.length > 0)
        this.#logger.warn({ settings: waiting }, `needs a restart: ${waiting.join(', ')}`)
    } catch (error) {
      this.#logger.error(
        { reason: (error as Error).message },
        'settings not reloaded: they cannot be applied; the previous settings stay in effect',
      )
    }
  }
}
