import type { Command } from 'commander'
import { readSettings, withSettings } from '../flags.ts'
import { SETTINGS, SettingError, type SettingName } from '../settings.ts'

const ALL_SETTINGS = Object.keys(SETTINGS) as SettingName[]

/** Adds the commands about the settings that `posthorn serve` would run with. */
export function addConfigCommands(config: Command): void {
  const show = config
    .command('show')
    .description('Print each setting with its value and source; secrets are masked')
    .option('--json', 'print JSON')
  withSettings(show, ALL_SETTINGS).action(async (flags) => {
    const { shownSettings, textOf } = await import('./show.ts')
    const read = await readSettings(flags, ALL_SETTINGS)
    const settings = shownSettings(read)
    process.stdout.write(
      flags.json === true ? `${JSON.stringify({ settings }, null, 2)}\n` : textOf(settings),
    )
    if (read.config === null) throw new SettingError(read.mistakes.join('\n'))
  })
  const check = config
    .command('check')
    .description(
      'Check all settings and the files that they name, without starting or connecting to anything',
    )
  withSettings(check, ALL_SETTINGS).action(async (flags) => {
    const { checkSettings } = await import('./check.ts')
    const { mistakes, warnings } = checkSettings(await readSettings(flags, ALL_SETTINGS))
    for (const text of warnings) process.stderr.write(`posthorn: warning: ${text}\n`)
    if (mistakes.length > 0) throw new SettingError(mistakes.join('\n'))
    process.stdout.write('The settings are valid.\n')
  })
}
