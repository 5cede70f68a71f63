import { type Command, Option } from 'commander'
import { type FailedSelection, MOST_WORKSPACES_LISTED, type Outbox } from '../../outbox/source.ts'
import { checked, configOf, withSettings } from '../flags.ts'
import { MEANINGS, print } from '../remote/byAdmin.ts'
import { serviceUrl } from '../remote/client.ts'
import { SERVICE_SETTINGS, SettingError } from '../settings.ts'
import { integer } from '../settingValues.ts'
import { countOf } from '../words.ts'
import { eventForms } from './eventForms.ts'
import { relayKeys } from './keys.ts'
import { type OutboxFlags, outboxOf, outboxSettings, withOutbox, withSchema } from './outboxSettings.ts'
import { reportOf, textOf } from './waiting.ts'

const METRICS_PORT = 9464
const MOST_SHOWN = 1_000
/** Failed events that the ids of a command may match; an application can give several events one id. */
const MOST_NAMED = 100_000

/** Adds the commands about transactional outboxes in producers' databases. */
export function addOutboxCommands(outbox: Command): void {
  addSqlCommand(
    outbox.command('sql').description("Print the SQL that sets up an outbox in a producer's database"),
  )
  addRelayCommand(outbox.command('relay').description('Publish the events that are emitted into an outbox'))
  addFailedCommands(outbox)
  addWaitingCommand(
    outbox
      .command('waiting')
      .description('List blocked workspaces, with the number of waiting events and the reason'),
  )
  addDropCommand(
    outbox
      .command('drop [event-ids...]')
      .description('Delete failed events, or the waiting events of a workspace, without publishing them'),
  )
}

interface SqlFlags extends OutboxFlags {
  readonly for: 'postgres' | 'sqlite'
  readonly profile: readonly string[]
}

function addSqlCommand(sql: Command): void {
  withSettings(withSchema(sql), [])
    .addOption(
      new Option('--for <database>', 'kind of the database')
        .choices(['postgres', 'sqlite'])
        .default('postgres'),
    )
    .option(
      '--profile <name-or-file...>',
      'services whose events the application emits: names or profile files; replaces the default',
      ['ads', 'content', 'standard'],
    )
    .action(async (flags: SqlFlags) => {
      const forms = eventForms(flags.profile)
      if (flags.for === 'sqlite') {
        const { outboxSqliteSql } = await import('../../outbox/sqlite/schema.ts')
        process.stdout.write(outboxSqliteSql(forms))
        return
      }
      const { outboxSql } = await import('../../outbox/postgres/schema.ts')
      process.stdout.write(outboxSql({ schema: (await outboxSettings(flags)).outboxSchema, forms }))
    })
}

interface RelayFlags extends OutboxFlags {
  readonly key: readonly string[]
  readonly keysFile?: string
  readonly metricsHost: string
  readonly metricsPort: number
}

function addRelayCommand(relay: Command): void {
  withOutbox(relay)
    .addOption(
      new Option('--key <workspace=key...>', 'an API key for each workspace, with the scope events:write')
        .env('POSTHORN_OUTBOX_KEYS')
        .default([]),
    )
    .option('--keys-file <file>', 'a file with one workspace=key per line')
    .option('--metrics-host <address>', 'address of /metrics and /healthz', '127.0.0.1')
    .addOption(
      new Option('--metrics-port <port>', 'port of /metrics and /healthz; 0 disables them')
        .argParser(checked('--metrics-port', integer(0, 65_535)))
        .default(METRICS_PORT),
    )
  withSettings(relay, SERVICE_SETTINGS, MEANINGS).action(async (flags: RelayFlags) => {
    const { relay: run } = await import('./relayCommand.ts')
    await run({
      outbox: await outboxOf(flags),
      publicUrl: serviceUrl(await configOf(relay.opts(), SERVICE_SETTINGS)),
      keys: relayKeys(
        [flags.key]
          .flat()
          .flatMap((text) => text.split(/[,\n]/))
          .filter((text) => text.trim() !== ''),
        flags.keysFile,
      ),
      metrics: { host: flags.metricsHost, port: flags.metricsPort },
    })
  })
}

interface FailedFlags extends OutboxFlags {
  readonly workspace?: string
  readonly all?: true
}

function addFailedCommands(outbox: Command): void {
  const failed = outbox.command('failed').description('List events that Posthorn rejected, oldest first')
  selecting(failed, false).action(async (flags: FailedFlags) => {
    const selection = { workspace: flags.workspace ?? null, ids: null }
    const outbox = await outboxOf(flags)
    const rows = await outbox.failed(selection, MOST_SHOWN)
    if (rows.length === MOST_SHOWN)
      process.stderr.write(
        `Only the first ${MOST_SHOWN} are shown. Give --workspace to see those of one workspace.\n`,
      )
    print(
      rows.map(({ workspace, event, reason, emittedAt, failedAt }) => ({
        workspace,
        reason,
        emitted_at: new Date(emittedAt).toISOString(),
        failed_at: new Date(failedAt).toISOString(),
        event: JSON.parse(event) as unknown,
      })),
    )
  })
  const retry = outbox.command('retry [event-ids...]').description('Publish failed events again')
  selecting(retry, true).action(async (ids: readonly string[], flags: FailedFlags) => {
    const outbox = await outboxOf(flags)
    await changeFailed(outbox, selectionOf(ids, flags), async (selection) => {
      const count = await outbox.retry(selection)
      return `${countOf(count, 'event waits', 'events wait')} to be published again.`
    })
  })
}

function addWaitingCommand(waiting: Command): void {
  selecting(waiting, false)
    .option('--json', 'print JSON')
    .action(async (flags: FailedFlags & { readonly json?: true }) => {
      const outbox = await outboxOf(flags)
      const workspaces = await outbox.waiting(flags.workspace ?? null)
      if (workspaces.length === MOST_WORKSPACES_LISTED)
        process.stderr.write(`Only the first ${MOST_WORKSPACES_LISTED} workspaces are shown.\n`)
      if (flags.json === true) print(workspaces.map(reportOf))
      else process.stdout.write(textOf(workspaces, Date.now()))
    })
}

interface DropFlags extends FailedFlags {
  readonly waiting?: true
  readonly yes?: true
}

function addDropCommand(drop: Command): void {
  selecting(drop, true)
    .option('--waiting', 'drop the waiting events of --workspace instead of failed ones')
    .option('--yes', 'with --waiting: delete the events; without --yes, they are only counted')
    .action(async (ids: readonly string[], flags: DropFlags) => {
      const outbox = await outboxOf(flags)
      const dropped = (count: number) => `Dropped ${countOf(count, 'event')}.`
      if (flags.waiting === true) process.stdout.write(`${dropped(await dropWaiting(outbox, ids, flags))}\n`)
      else
        await changeFailed(outbox, selectionOf(ids, flags), async (selection) =>
          dropped(await outbox.drop(selection)),
        )
    })
}

/**
 * Changes the selected failed events, and prints the result.
 * @throws SettingError that lists the ids without a failed event; the others are changed
 */
async function changeFailed(
  outbox: Outbox,
  { workspace, ids }: FailedSelection,
  change: (selection: FailedSelection) => Promise<string>,
): Promise<void> {
  const ofWorkspace = workspace === null ? '' : ` of the workspace ${JSON.stringify(workspace)}`
  const failed = await outbox.failed({ workspace, ids }, ids === null ? 1 : MOST_NAMED)
  const known = new Set(failed.map(({ event }) => (JSON.parse(event) as { readonly id: string }).id))
  const missing = (ids ?? []).filter((id) => !known.has(id))
  if (failed.length > 0) process.stdout.write(`${await change({ workspace, ids: ids && [...known] })}\n`)
  else if (ids === null) process.stdout.write(`There are no failed events${ofWorkspace}.\n`)
  if (missing.length > 0)
    throw new SettingError(
      `no failed event${ofWorkspace} has the id ${missing.join(' or ')}; \`posthorn outbox failed\` lists the failed events`,
    )
}

async function dropWaiting(
  outbox: Outbox,
  ids: readonly string[],
  { workspace, all, yes }: DropFlags,
): Promise<number> {
  if (workspace === undefined || ids.length > 0 || all === true)
    throw new SettingError(
      'drop --waiting deletes all waiting events of one workspace: give --workspace, and neither ids nor --all',
    )
  const [found] = await outbox.waiting(workspace)
  if (found === undefined)
    throw new SettingError(
      `no events of the workspace ${JSON.stringify(workspace)} wait; \`posthorn outbox waiting\` lists the workspaces that have waiting events`,
    )
  if (yes !== true)
    throw new SettingError(
      `this would delete ${countOf(found.rows, 'waiting event')}${found.isMore ? ' or more' : ''} of the workspace ${JSON.stringify(workspace)} without publishing; to do it, repeat the command with --yes`,
    )
  return outbox.dropWaiting(workspace)
}

function selecting(command: Command, changes: boolean): Command {
  withOutbox(command).option('--workspace <workspace>', 'only events of this workspace')
  return changes ? command.option('--all', 'all failed events, or all of the workspace') : command
}

/** A change needs ids of events, or an explicit --all. */
function selectionOf(ids: readonly string[], { workspace, all }: FailedFlags): FailedSelection {
  if (ids.length > 0 && all === true) throw new SettingError('give ids of events or --all, not both')
  if (ids.length === 0 && all !== true)
    throw new SettingError('give ids of events, as `posthorn outbox failed` shows them, or --all')
  return { workspace: workspace ?? null, ids: all === true ? null : ids }
}
