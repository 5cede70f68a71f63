import type { ServiceSettings } from '../profiles/compile.ts'
import type { Profile } from '../profiles/profile.ts'
import type { Config } from './settings.ts'

const prefixOf = ({ name }: Pick<Profile, 'name'>) => `POSTHORN_${name.toUpperCase().replaceAll('-', '_')}`

/** Settings of services, whose profiles may be added later. */
export class SettingsOfServices {
  readonly #config: Config

  constructor(config: Config) {
    this.#config = config
  }

  of(profile: Profile): ServiceSettings {
    const { waits, timeouts } = this.#config.ofServices
    const waitsMs = waits.get(`${prefixOf(profile)}_RETRY`)
    const timeoutMs = timeouts.get(`${prefixOf(profile)}_TIMEOUT`)
    return {
      maxWebhooks: this.#config.maxWebhooks,
      ...(waitsMs === undefined ? {} : { waitsMs }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...this.#ofContracts()[profile.name],
    }
  }

  /** Variables with names of other services. */
  forOthers(names: readonly string[]): readonly string[] {
    const known = names.map((name) => prefixOf({ name }))
    const { waits, timeouts } = this.#config.ofServices
    return [...waits.keys(), ...timeouts.keys()].filter(
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
        disableAfterMs: failingAfter,
        secretOverlapMs: secretOverlap,
      },
      ads: { waitsMs: adsRetry, timeoutMs: adsTimeout },
    }
  }
}
