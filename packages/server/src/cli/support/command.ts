import type { Command } from 'commander'
import { readSettings, withSettings } from '../flags.ts'
import { MEANINGS } from '../remote/byAdmin.ts'
import { ADMIN_SETTINGS, SETTINGS, type SettingName, STORE_SETTINGS } from '../settings.ts'

const ALL_SETTINGS = Object.keys(SETTINGS) as SettingName[]

/** Adds `posthorn support`. */
export function addSupportCommand(program: Command): void {
  const support = program
    .command('support')
    .description('Write a support bundle: versions, settings, status, metrics and log, without secrets')
    .option(
      '--out <file-or-directory>',
      'where to write; - for stdout (default: posthorn-support-<UTC time>.tar.gz)',
    )
    .option(
      '--log-file <file>',
      'log of the service; - for stdin. Its last 5,000 lines, at most 2 MiB, are included',
    )
    .option('--unit <unit>', 'systemd unit whose journal is read if --log-file is not given', 'posthorn')
    .option('--no-log', 'do not include the log')
    .addHelpText(
      'after',
      '\nIt also works while the service is down: the file README.txt in the bundle lists what could not be read.',
    )
  withSettings(support, ALL_SETTINGS, MEANINGS).action(async (flags) => {
    const { writeSupportBundle } = await import('./write.ts')
    await writeSupportBundle(flags, {
      all: await readSettings(flags, ALL_SETTINGS),
      // A mistake in another setting must not hide what the service and the store say.
      reach: await readSettings(flags, [...ADMIN_SETTINGS, ...STORE_SETTINGS]),
    })
  })
}
