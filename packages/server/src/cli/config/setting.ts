import type { QuotaName } from '../../core/quotas.ts'
import { QUOTAS } from '../../core/quotas.ts'
import { integer, positiveDuration } from '../settingValues.ts'

/** A setting cannot be used. The message has one line for each mistake, which names the setting. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
}

/** An environment variable that is also a flag of `posthorn serve` and a key of the configuration file. */
export interface Setting<T> {
  readonly variable: string
  /** Shown in the help. */
  readonly meaning: string
  /** Markdown for docs/configuration.md, in place of `meaning`. */
  readonly details?: string
  /** The default, in the form in which an operator would write it; empty when there is none. */
  readonly byDefault: string
  /** Shown in docs/configuration.md in place of a default. */
  readonly withoutIt?: string
  readonly fallback: T
  /** @throws Error whose message says what is allowed */
  readonly parse: (text: string) => T
  /** The flag and key, without hyphens in front, unless it follows from the variable. */
  readonly flag?: string
  /** An empty text is an error; for other settings it means the default. */
  readonly neverEmpty?: true
  /** The flag takes no value and means `true`. */
  readonly isSwitch?: true
  /** A list, separated by commas; the configuration file may have a YAML list. */
  readonly isList?: true
  /** Never shown, and may be in a file of its own. `password`: a URL of which only the password is masked. */
  readonly secret?: 'whole' | 'password'
  /** SIGHUP applies a new value to a running service. */
  readonly reloads?: true
}

/** The flag, without hyphens in front, which is also the key in the configuration file. */
export const flagOf = ({ variable, flag }: Pick<Setting<unknown>, 'variable' | 'flag'>): string =>
  flag ??
  variable
    .replace(/^POSTHORN_/, '')
    .toLowerCase()
    .replaceAll('_', '-')

/** The variable that names the file with a secret. */
export const fileOfSecret = ({ variable }: Pick<Setting<unknown>, 'variable'>) => ({
  variable: `${variable}_FILE`,
})

/** For the help. */
export function meaningOf({ meaning, byDefault }: Pick<Setting<unknown>, 'meaning' | 'byDefault'>): string {
  return byDefault === '' ? meaning : `${meaning}, by default ${byDefault}`
}

export function setting<T>(
  variable: string,
  meaning: string,
  byDefault: string,
  fallback: T,
  parse: (text: string) => T,
): Setting<T> {
  return { variable, meaning, byDefault, fallback, parse }
}

export function quota(name: QuotaName): Setting<number> {
  const { variable, meaning, byDefault, most } = QUOTAS[name]
  return setting(variable, meaning, String(byDefault), byDefault, integer(1, most))
}

export function text(variable: string, meaning: string, fallback: string): Setting<string> {
  return setting(variable, meaning, fallback, fallback, (value) => value)
}

export function optional<T>(
  variable: string,
  meaning: string,
  parse: (text: string) => T,
): Setting<T | null> {
  return setting<T | null>(variable, meaning, '', null, parse)
}

export function duration(
  variable: string,
  meaning: string,
  byDefault: string,
  fallback: number,
): Setting<number> {
  return setting(variable, meaning, byDefault, fallback, positiveDuration)
}
