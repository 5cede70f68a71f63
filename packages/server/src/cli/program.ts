import { Command, Option } from 'commander'
import { VERSION } from '../engine/attempt/version.ts'
import { addConfigCommands } from './config/commands.ts'
import type { DemoOptions } from './demo.ts'
import { configOf, readSettings, unknownVariablesSet, withSettings } from './flags.ts'
import { addOutboxCommands } from './outbox/commands.ts'
import { addRemoteCommands } from './remote/commands.ts'
import { addStatusCommand } from './remote/statusCommand.ts'
import { addServiceCommands } from './services/commands.ts'
import {
  LISTEN_SETTINGS,
  NEW_STORE_SETTINGS,
  SETTINGS,
  type SettingName,
  STORE_SETTINGS,
} from './settings.ts'
import { addSupportCommand } from './support/command.ts'

const ALL_SETTINGS = Object.keys(SETTINGS) as SettingName[]

/** The command line. It runs nothing until it parses arguments. */
export function createProgram(): Command {
  const program = new Command('posthorn')
    .description('Sends events as webhooks: signed, retried and logged.')
    .version(VERSION)
    .showHelpAfterError('Add --help to see the options.')
    .hook('preAction', () => {
      for (const line of unknownVariablesSet()) process.stderr.write(`posthorn: ${line}\n`)
    })

  withSettings(program.command('serve').description('Run the service'), ALL_SETTINGS).action(
    async (flags) => {
      // Commands are loaded when they are asked for: most need a fraction of what the service does.
      const { serve } = await import('./serve.ts')
      await serve(() => readSettings(flags, ALL_SETTINGS))
    },
  )

  program
    .command('demo')
    .description('Show two services that send events to receivers on this machine')
    .option(
      '--once',
      'exit after the story; exit code 0 if all expected deliveries arrived and were verified, 1 if not',
    )
    .addOption(new Option('--break-secret <receiver>').hideHelp())
    .action(async (options: DemoOptions) => {
      const { demo } = await import('./demo.ts')
      process.exitCode = await demo(options)
    })

  withSettings(
    program.command('healthcheck').description('Check whether the node on this machine accepts events'),
    LISTEN_SETTINGS,
  ).action(async (flags) => {
    const { healthcheck } = await import('./healthcheck.ts')
    await healthcheck(await configOf(flags, LISTEN_SETTINGS))
  })

  withSettings(
    program
      .command('migrate')
      .description('Upgrade the store without starting the service')
      .option(
        '--plan',
        'print the steps and change nothing. Exit code 0: no steps; 2: nodes can be upgraded one by one; 3: nodes must stop, or going back needs a restore',
      ),
    NEW_STORE_SETTINGS,
  ).action(async (flags) => {
    if (flags.plan === true) {
      const { migratePlan } = await import('./migratePlan.ts')
      process.exitCode = await migratePlan(await configOf(flags, NEW_STORE_SETTINGS))
      return
    }
    const { migrate } = await import('./migrate.ts')
    await migrate(await configOf(flags, NEW_STORE_SETTINGS))
  })

  withSettings(
    program
      .command('move')
      .description('Move the embedded store to PostgreSQL')
      .option('--dry-run', 'show what would be moved and what prevents the move; change nothing')
      .option('--start-over', 'discard the rows that an earlier run copied'),
    STORE_SETTINGS,
  ).action(async (flags) => {
    const { move } = await import('./move.ts')
    await move(await configOf(flags, STORE_SETTINGS), flags)
  })

  withSettings(
    program
      .command('backup <file-or-directory>')
      .description('Back up the embedded store; works while the service runs')
      .option('--with-master-key', 'also write the master key, to a file next to the backup'),
    STORE_SETTINGS,
  ).action(async (destination: string, flags) => {
    const { backup } = await import('./backup.ts')
    backup(await configOf(flags, STORE_SETTINGS), destination, flags)
  })

  withSettings(
    program
      .command('restore <file>')
      .description('Restore a backup into the data directory')
      .option('--force', 'replace an existing store; the old one is kept under another name'),
    STORE_SETTINGS,
  ).action(async (file: string, flags) => {
    const { restore } = await import('./restore.ts')
    restore(await configOf(flags, STORE_SETTINGS), file, flags)
  })

  addConfigCommands(program.command('config').description('Show and check the settings'))
  addStatusCommand(program)
  addSupportCommand(program)
  addRemoteCommands(program)
  addOutboxCommands(program.command('outbox').description('Set up, relay and fix transactional outboxes'))
  addServiceCommands(
    program.command('service').description('Manage services: their event types, signatures and retries'),
  )
  return program
}
