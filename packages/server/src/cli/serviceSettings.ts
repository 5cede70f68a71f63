import type { ServiceSettings } from '../profiles/compile.ts'
import type { Profile } from '../profiles/profile.ts'
import { type Config, SettingError } from './settings.ts'
import { positiveDuration, waits } from './settingValues.ts'

const OF_SERVICE = /^POSTHORN_([A-Z][A-Z0-9_]*)_(RETRY|TIMEOUT)$/

/** Whether a variable is one that every service has. */
export const isOfService = (variable: string): boolean => OF_SERVICE.test(variable)

const prefixOf = ({ name }: Pick<Profile, 'name'>) => `POSTHORN_${name.toUpperCase().replaceAll('-', '_')}`

/** What is set for services, whose profiles may come later. */
export class SettingsOfServices {
  readonly #config: Config
  readonly #waits = new Map<string, readonly number[]>()
  readonly #timeouts = new Map<string, number>()

  /** @throws SettingError naming the first variable that cannot be used */
  constructor(config: Config, environment: Readonly<Record<string, string | undefined>>) {
    this.#config = config
    for (const [variable, text] of Object.entries(environment)) {
      const [, , kind] = OF_SERVICE.exec(variable) ?? []
      if (kind === undefined || text === undefined || text === '') continue
      try {
        if (kind === 'RETRY') this.#waits.set(variable, waits(text))
        else this.#timeouts.set(variable, positiveDuration(text))
      } catch (error) {
        throw new SettingError(`${variable}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  }

  of(profile: Profile): ServiceSettings {
    const waitsMs = this.#waits.get(`${prefixOf(profile)}_RETRY`)
    const timeoutMs = this.#timeouts.get(`${prefixOf(profile)}_TIMEOUT`)
    return {
      maxWebhooks: this.#config.maxWebhooks,
      ...(waitsMs === undefined ? {} : { waitsMs }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...this.#ofContracts()[profile.name],
    }
  }

  /** Variables that are set for services of other names. */
  forOthers(names: readonly string[]): readonly string[] {
    const known = names.map((name) => prefixOf({ name }))
    return [...this.#waits.keys(), ...this.#timeouts.keys()].filter(
      (variable) =>
        !known.some((prefix) => variable === `${prefix}_RETRY` || variable === `${prefix}_TIMEOUT`),
    )
  }

  #ofContracts(): Readonly<Record<string, ServiceSettings>> {
    const { contentRetry, contentTimeout, adsRetry, adsTimeout, failingAfter, secretOverlap } = this.#config
    return {
      content: {
        waitsMs: contentRetry,
        timeoutMs: contentTimeout,
        switchOffAfterMs: failingAfter,
        secretOverlapMs: secretOverlap,
      },
      ads: { waitsMs: adsRetry, timeoutMs: adsTimeout },
    }
  }
}
