import { SETTINGS, type SettingName } from '../settings.ts'
import { positiveDuration } from '../settingValues.ts'
import type { SettingsRead } from './parseConfig.ts'
import { flagOf, type Setting } from './setting.ts'
import { shownText } from './shown.ts'
import { type Given, type Source, sourceText } from './source.ts'

/** One setting, as `posthorn config show` prints it. */
interface ShownSetting {
  /** The flag without its hyphens, which is also the key in the configuration file. */
  readonly name: string
  readonly variable: string
  /** As it was written, without secrets; `null`: not set, and there is no default. */
  readonly value: string | null
  readonly source: Source['kind'] | 'default'
  /** The flag, variable or place in a file; `null` for the default. */
  readonly from: string | null
  /** Whether a reload applies a new value. */
  readonly reloads: boolean
}

/** Every setting, in the order of the help; then what is set for services. */
export function shownSettings({ given, ofServices }: SettingsRead): readonly ShownSetting[] {
  const own = (Object.entries(SETTINGS) as [SettingName, Setting<unknown>][]).map(([name, setting]) =>
    shownSetting(setting, given.get(name)),
  )
  const others = [...ofServices].map(([variable, text]) =>
    shownSetting({ variable, byDefault: '', parse: positiveDuration }, text),
  )
  return [...own, ...others]
}

function shownSetting(
  setting: Pick<Setting<unknown>, 'variable' | 'flag' | 'byDefault' | 'secret' | 'reloads' | 'parse'>,
  given: Given | undefined,
): ShownSetting {
  const { variable, byDefault, reloads } = setting
  const isSet = given !== undefined && given.text !== ''
  return {
    name: flagOf(setting),
    variable,
    value: isSet ? shownText(setting, given.text) : byDefault === '' ? null : byDefault,
    source: isSet ? given.source.kind : 'default',
    from: isSet ? sourceText(given.source) : null,
    reloads: reloads === true,
  }
}

const WIDEST_VALUE = 40

/** @returns lines with the name, the value and where it is from */
export function textOf(settings: readonly ShownSetting[]): string {
  const values = settings.map(({ value }) => value ?? '(not set)')
  const nameWidth = Math.max(...settings.map(({ name }) => name.length))
  const valueWidth = Math.min(WIDEST_VALUE, Math.max(...values.map(({ length }) => length)))
  return settings
    .map(
      ({ name, from }, i) =>
        `${name.padEnd(nameWidth)}  ${values[i]!.padEnd(valueWidth)}  ${from ?? 'default'}\n`,
    )
    .join('')
}
