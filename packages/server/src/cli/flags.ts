import { type Command, Option } from 'commander'
import { parseGathered, type SettingsRead, usable } from './config/parseConfig.ts'
import { fileOfSecret, flagOf, meaningOf, type Setting, SettingError } from './config/setting.ts'
import { gatherSettings } from './config/sources.ts'
import { type Config, SETTINGS, type SettingName } from './settings.ts'
import { unknownVariables } from './unknownVariables.ts'

/** An option that an environment variable can replace. */
export class SettingOption extends Option {
  readonly meaning: string
  /** Empty when there is none. */
  readonly byDefault: string
  readonly variable: string

  constructor(flags: string, setting: Pick<Setting<unknown>, 'meaning' | 'byDefault' | 'variable'>) {
    super(flags, `${meaningOf(setting)} [${setting.variable}]`)
    this.meaning = setting.meaning
    this.byDefault = setting.byDefault
    this.variable = setting.variable
  }
}

/**
 * Every variable is also a flag: POSTHORN_DATA_DIR is --data-dir. All commands with settings read the configuration file.
 * @param meanings help texts that replace those for `serve`
 */
export function withSettings(
  command: Command,
  names: readonly SettingName[],
  meanings: Readonly<Partial<Record<SettingName, string>>> = {},
): Command {
  for (const name of new Set<SettingName>(['configFile', ...names])) {
    const setting: Setting<unknown> = SETTINGS[name]
    const { isSwitch, secret } = setting
    if (command.options.some(({ long }) => long === `--${flagOf(setting)}`)) continue
    const value = isSwitch === true ? '' : ' <value>'
    command.addOption(
      new SettingOption(`--${flagOf(setting)}${value}`, {
        ...setting,
        meaning: meanings[name] ?? setting.meaning,
      }),
    )
    if (secret === undefined) continue
    const file = fileOfSecret(setting)
    command.addOption(
      new SettingOption(`--${flagOf(file)} <file>`, {
        ...file,
        meaning: `file with the value of --${flagOf(setting)}`,
        byDefault: '',
      }),
    )
  }
  return command
}

/** Reads and parses the settings of a command that has {@link withSettings}. */
export async function readSettings(
  flags: Readonly<Record<string, unknown>>,
  names: readonly SettingName[],
): Promise<SettingsRead> {
  return parseGathered(await gatherSettings({ flags, environment: process.env, names }))
}

/**
 * The settings of a command that has {@link withSettings}.
 * @throws SettingError with a line for each invalid one
 */
export async function configOf(
  flags: Readonly<Record<string, unknown>>,
  names: readonly SettingName[],
): Promise<Config> {
  return usable(await readSettings(flags, names))
}

/** All variables of this process, including those that are not settings. */
export const environment = (): Readonly<Record<string, string | undefined>> => process.env

/** {@link unknownVariables} of the environment. */
export const unknownVariablesSet = (): string[] => unknownVariables(Object.keys(process.env))

/** Reads the value of a flag that is not one of the settings. */
export const checked =
  <T>(flag: string, parse: (text: string) => T) =>
  (text: string): T => {
    try {
      return parse(text)
    } catch (error) {
      throw new SettingError(`${flag}: ${(error as Error).message}`)
    }
  }
