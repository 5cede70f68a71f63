import { type Command, Option } from 'commander'
import { type Config, meaningOf, parseConfig, SETTINGS, type Setting, type SettingName } from './settings.ts'
import { unknownVariables } from './unknownVariables.ts'

/**
 * Every variable is also a flag: POSTHORN_DATA_DIR is --data-dir.
 * @param meanings shown in the help in place of what the settings mean to `serve`
 */
export function withSettings(
  command: Command,
  names: readonly SettingName[],
  meanings: Readonly<Partial<Record<SettingName, string>>> = {},
): Command {
  for (const name of names) {
    const { variable, byDefault, meaning, isSwitch }: Setting<unknown> = SETTINGS[name]
    const flag = wordsOf(variable).join('-')
    const told = meaningOf({ meaning: meanings[name] ?? meaning, byDefault })
    command.addOption(new Option(`--${flag}${isSwitch === true ? '' : ' <value>'}`, `${told} [${variable}]`))
  }
  return command
}

/**
 * The settings that a command was given {@link withSettings}. Flags win over the environment.
 * @throws SettingError
 */
export function configOf(flags: Readonly<Record<string, unknown>>, names: readonly SettingName[]): Config {
  const texts: Partial<Record<SettingName, string>> = {}
  for (const name of names) {
    const { variable } = SETTINGS[name]
    const flag = wordsOf(variable)
      .map((word, i) => (i === 0 ? word : word[0]!.toUpperCase() + word.slice(1)))
      .join('')
    const value = flags[flag] ?? process.env[variable]
    if (value !== undefined) texts[name] = String(value)
  }
  return parseConfig(texts)
}

/** All variables. */
export const environment = (): NodeJS.ProcessEnv => process.env

/** {@link unknownVariables} of the environment. */
export const unknownVariablesSet = (): string[] => unknownVariables(Object.keys(process.env))

const wordsOf = (variable: string): readonly string[] =>
  variable
    .replace(/^POSTHORN_/, '')
    .toLowerCase()
    .split('_')
