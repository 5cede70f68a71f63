import { SETTINGS, type SettingName } from '../settings.ts'
import { isOfService } from './servicesValues.ts'
import { fileOfSecret, flagOf, type Setting, SettingError } from './setting.ts'
import { type Given, labelOf, sourceText } from './source.ts'
import { type OpenFile, readTextFile } from './textFile.ts'

/** What is set by variables, flags and files. Nothing is parsed yet. */
export interface Gathered {
  readonly given: ReadonlyMap<SettingName, Given>
  /** By variable: settings of services, whose names are not known yet. */
  readonly ofServices: ReadonlyMap<string, Given>
  readonly mistakes: readonly string[]
  /** What the command reads. */
  readonly names: readonly SettingName[]
  /** Files with secrets to which other users have access. */
  readonly openFiles: readonly OpenFile[]
}

/** One source of settings, which looks a setting up by its name there. */
type Level = (setting: Pick<Setting<unknown>, 'variable' | 'flag'>) => Given | undefined

interface Inputs {
  /** As commander returns them. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** What the command reads. */
  readonly names: readonly SettingName[]
}

/** Looks for each setting: flags win over the environment, which wins over the configuration file. */
export async function gatherSettings({ flags, environment, names }: Inputs): Promise<Gathered> {
  const mistakes: string[] = []
  const openFiles: OpenFile[] = []
  const inFlags = flagLevel(flags)
  const inEnvironment = environmentLevel(environment)
  const configFile = inFlags(SETTINGS.configFile) ?? inEnvironment(SETTINGS.configFile)
  const file = configFile === undefined ? null : await readConfiguration(configFile, mistakes)
  if (file?.openMode != null && file.hasSecrets) openFiles.push({ file: file.path, mode: file.openMode })
  const levels = [
    inFlags,
    inEnvironment,
    ({ variable }: Pick<Setting<unknown>, 'variable'>) => file?.values.get(variable),
  ]
  const given = new Map<SettingName, Given>()
  for (const name of names) {
    try {
      const found = findSetting(SETTINGS[name], levels, openFiles)
      if (found !== undefined) given.set(name, found)
    } catch (error) {
      mistakes.push((error as Error).message)
    }
  }
  return { given, ofServices: settingsOfServices(environment, file?.values), mistakes, openFiles, names }
}

async function readConfiguration(configFile: Given, mistakes: string[]) {
  const label = labelOf(SETTINGS.configFile.variable, configFile.source)
  if (configFile.text === '') {
    mistakes.push(`${label}: name a file, or leave it out (it is empty)`)
    return null
  }
  // Loaded on demand: most commands need no YAML.
  const { readConfigFile } = await import('./configFile.ts')
  try {
    const file = readConfigFile(configFile.text)
    mistakes.push(...file.mistakes)
    return file
  } catch (error) {
    mistakes.push(`${label}: ${(error as Error).message}`)
    return null
  }
}

/** @throws SettingError */
function findSetting(
  setting: Setting<unknown>,
  levels: readonly Level[],
  openFiles: OpenFile[],
): Given | undefined {
  for (const level of levels) {
    const own = level(setting)
    if (setting.secret === undefined) {
      if (own !== undefined) return own
      continue
    }
    const named = level(fileOfSecret(setting))
    if (own !== undefined && named !== undefined)
      throw new SettingError(`${setting.variable}: set ${sourceOf(own)} or ${sourceOf(named)}, not both`)
    if (own !== undefined) return own
    if (named !== undefined) return readSecret(setting, named, openFiles)
  }
  return undefined
}

/** @throws SettingError */
function readSecret(
  { variable }: Setting<unknown>,
  { text: file, source }: Given,
  openFiles: OpenFile[],
): Given {
  const label = labelOf(fileOfSecret({ variable }).variable, source)
  if (file === '') throw new SettingError(`${label}: name a file, or leave it out (it is empty)`)
  let read: ReturnType<typeof readTextFile>
  try {
    read = readTextFile(file)
  } catch (error) {
    throw new SettingError(`${label}: ${(error as Error).message}`)
  }
  if (read.hasByteOrderMark)
    throw new SettingError(`${label}: ${file} begins with a byte order mark; save it without one`)
  const text = read.text.replace(/\r?\n$/, '')
  if (text === '') throw new SettingError(`${label}: ${file} is empty; write the value into it`)
  if (read.openMode !== null) openFiles.push({ file, mode: read.openMode })
  return { text, source: { kind: 'secret file', file, namedBy: source } }
}

function flagLevel(flags: Readonly<Record<string, unknown>>): Level {
  return (setting) => {
    const flag = flagOf(setting)
    const value = flags[flag.replace(/-([a-z0-9])/g, (_hyphen, letter: string) => letter.toUpperCase())]
    return value === undefined
      ? undefined
      : { text: String(value), source: { kind: 'flag', flag: `--${flag}` } }
  }
}

/** An empty variable counts as not set, unless that would hide a mistake. */
function environmentLevel(environment: Readonly<Record<string, string | undefined>>): Level {
  return ({ variable }) => {
    const text = environment[variable]
    return text === undefined || (text === '' && !REJECTED_WHEN_EMPTY.has(variable))
      ? undefined
      : { text, source: { kind: 'environment', variable } }
  }
}

const REJECTED_WHEN_EMPTY: ReadonlySet<string> = new Set(
  Object.values(SETTINGS as Record<string, Setting<unknown>>).flatMap((setting) => [
    ...(setting.neverEmpty === true ? [setting.variable] : []),
    ...(setting.secret === undefined ? [] : [fileOfSecret(setting).variable]),
  ]),
)

function settingsOfServices(
  environment: Readonly<Record<string, string | undefined>>,
  inFile: ReadonlyMap<string, Given> | undefined,
): ReadonlyMap<string, Given> {
  const inEnvironment = environmentLevel(environment)
  const variables = [...(inFile?.keys() ?? []), ...Object.keys(environment)]
  const own = Object.values(SETTINGS).map(({ variable }) => variable)
  return new Map(
    variables
      .filter((variable) => isOfService(variable) && !own.includes(variable))
      .flatMap((variable) => {
        const given = inEnvironment({ variable }) ?? inFile?.get(variable)
        return given === undefined ? [] : [[variable, given] as const]
      }),
  )
}

const sourceOf = ({ source }: Given): string => sourceText(source)
