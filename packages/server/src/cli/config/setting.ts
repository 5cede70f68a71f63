import type { QuotaName } from '../../core/quotas.ts'
import { QUOTAS } from '../../core/quotas.ts'
import { integer, positiveDuration } from '../settingValues.ts'

/** Something the operator set cannot be used; the message has one line for each mistake, which names the setting. */
export class SettingError extends Error {
  override readonly name = 'SettingError'
}

/** One variable, which is also a flag of `posthorn serve` and a key of the configuration file. */
export interface Setting<T> {
  readonly variable: string
  /** Shown in the help. */
  readonly meaning: string
  /** Markdown for the reference, which people look up: what the help has no room for. */
  readonly details?: string
  /** The default, as one would write it; empty when there is none. */
  readonly byDefault: string
  /** What the reference says where there is no default that one could write. */
  readonly withoutIt?: string
  readonly fallback: T
  /** @throws Error whose message says what would be right */
  readonly parse: (text: string) => T
  /** The flag and key, without hyphens in front, where they do not follow from the variable. */
  readonly flag?: string
  /** Rejects an empty text, which means the default elsewhere. */
  readonly neverEmpty?: true
  /** As a flag it takes no value and means `true`. */
  readonly isSwitch?: true
  /** Its text is a list with commas; the configuration file may have a list instead. */
  readonly isList?: true
  /** Never shown, and may be kept in a file of its own; `password`: a URL, of which only the password is not shown. */
  readonly secret?: 'whole' | 'password'
  /** A SIGHUP applies a new value to a service that runs. */
  readonly reloads?: true
}

/** The flag, without hyphens in front, which is also the key in the configuration file. */
export const flagOf = ({ variable, flag }: Pick<Setting<unknown>, 'variable' | 'flag'>): string =>
  flag ??
  variable
    .replace(/^POSTHORN_/, '')
    .toLowerCase()
    .replaceAll('_', '-')

/** What names the file that holds a secret. */
export const fileOfSecret = ({ variable }: Pick<Setting<unknown>, 'variable'>) => ({
  variable: `${variable}_FILE`,
})

/** What a setting is, for the help. */
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
