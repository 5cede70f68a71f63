import { Command, Option } from 'commander'
import { addConfigCommands } from './cli/config/commands.ts'
import type { DemoOptions } from './cli/demo.ts'
import { configOf, readSettings, unknownVariablesSet, withSettings } from './cli/flags.ts'
import { addOutboxCommands } from './cli/outbox/commands.ts'
import { RemoteError } from './cli/remote/client.ts'
import { addRemoteCommands } from './cli/remote/commands.ts'
import { addStatusCommand } from './cli/remote/statusCommand.ts'
import { addServiceCommands } from './cli/services/commands.ts'
import {
  LISTEN_SETTINGS,
  NEW_STORE_SETTINGS,
  SETTINGS,
  SettingError,
  type SettingName,
  STORE_SETTINGS,
} from './cli/settings.ts'
import { addSupportCommand } from './cli/support/command.ts'
import { VERSION } from './engine/attempt/version.ts'
import { OutboxUnavailableError } from './outbox/source.ts'
import { StoreOpenError, StoreUnavailableError } from './storage/storage.ts'

const ALL_SETTINGS = Object.keys(SETTINGS) as SettingName[]

const program = new Command('posthorn')
  .description('Sends event webhooks: signed, durable, observable.')
  .version(VERSION)
  .showHelpAfterError('Add --help to see the options.')
  .hook('preAction', () => {
    for (const line of unknownVariablesSet()) process.stderr.write(`posthorn: ${line}\n`)
  })

withSettings(program.command('serve').description('Run the service'), ALL_SETTINGS).action(async (flags) => {
  // Commands are loaded when they are asked for: most need a fraction of what the service does.
  const { serve } = await import('./cli/serve.ts')
  await serve(() => readSettings(flags, ALL_SETTINGS))
})

program
  .command('demo')
  .description('Watch events of both services go out to receivers on this machine')
  .option(
    '--once',
    'exit after the story, with exit code 0 only if everything that should arrive did and was verified',
  )
  .addOption(new Option('--break-secret <receiver>').hideHelp())
  .action(async (options: DemoOptions) => {
    const { demo } = await import('./cli/demo.ts')
    process.exitCode = await demo(options)
  })

withSettings(
  program.command('healthcheck').description('Check whether the node on this machine accepts events'),
  LISTEN_SETTINGS,
).action(async (flags) => {
  const { healthcheck } = await import('./cli/healthcheck.ts')
  await healthcheck(await configOf(flags, LISTEN_SETTINGS))
})

withSettings(
  program
    .command('migrate')
    .description('Bring the store up to date without serving')
    .option(
      '--plan',
      'print what would be done and change nothing; exits with 0 if nothing, 2 if nodes can be upgraded one by one, 3 if not, or if going back needs a restore',
    ),
  NEW_STORE_SETTINGS,
).action(async (flags) => {
  if (flags.plan === true) {
    const { migratePlan } = await import('./cli/migratePlan.ts')
    process.exitCode = await migratePlan(await configOf(flags, NEW_STORE_SETTINGS))
    return
  }
  const { migrate } = await import('./cli/migrate.ts')
  await migrate(await configOf(flags, NEW_STORE_SETTINGS))
})

withSettings(
  program
    .command('move')
    .description('Move the embedded store to PostgreSQL')
    .option('--dry-run', 'show what would be moved and what prevents it, and change nothing')
    .option('--start-over', 'discard the rows that an earlier run copied'),
  STORE_SETTINGS,
).action(async (flags) => {
  const { move } = await import('./cli/move.ts')
  await move(await configOf(flags, STORE_SETTINGS), flags)
})

withSettings(
  program
    .command('backup <file-or-directory>')
    .description('Write a copy of the embedded store, also while it is in service')
    .option('--with-master-key', 'write the master key next to it'),
  STORE_SETTINGS,
).action(async (destination: string, flags) => {
  const { backup } = await import('./cli/backup.ts')
  backup(await configOf(flags, STORE_SETTINGS), destination, flags)
})

withSettings(
  program
    .command('restore <file>')
    .description('Restore a backup into the data directory')
    .option('--force', 'replace an existing store, which is kept under another name'),
  STORE_SETTINGS,
).action(async (file: string, flags) => {
  const { restore } = await import('./cli/restore.ts')
  restore(await configOf(flags, STORE_SETTINGS), file, flags)
})

addConfigCommands(program.command('config').description('Show and check the settings'))
addStatusCommand(program)
addSupportCommand(program)
addRemoteCommands(program)
addOutboxCommands(program.command('outbox').description('Set up, relay and repair transactional outboxes'))
addServiceCommands(program.command('service').description('Services: what they publish, and how it is sent'))

try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`${linesOf(error)}\n`)
  process.exitCode = 1
}

/** Each mistake in the settings has a line of its own. */
function linesOf(error: unknown): string {
  const text = `posthorn: ${lineOf(error) ?? (error as Error).stack ?? error}`
  return error instanceof SettingError ? text.replaceAll('\n', '\nposthorn: ') : text
}

/** Errors that an operator can fix are one line; `null` for any other, which is shown with its stack. */
function lineOf(error: unknown): string | null {
  if (error instanceof StoreUnavailableError) return `the store is unavailable: ${error.message}`
  const isOperatorError =
    error instanceof SettingError ||
    error instanceof StoreOpenError ||
    error instanceof RemoteError ||
    error instanceof OutboxUnavailableError ||
    isListenError(error)
  return isOperatorError ? (error as Error).message : null
}

function isListenError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'listen'
}
