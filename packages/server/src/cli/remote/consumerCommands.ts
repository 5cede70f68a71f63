import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { configOf, withSettings } from '../flags.ts'
import { SERVICE_SETTINGS, SettingError } from '../settings.ts'
import { MEANINGS, print } from './byAdmin.ts'
import { call, RemoteError, serviceUrl } from './client.ts'

const WAIT_S = 20
const PAGE = 100
const FIRST_BACKOFF_MS = 500
const LONGEST_BACKOFF_MS = 30_000

interface ConsumerFlags {
  readonly key: string
  readonly workspace?: string
}

/** Calls for one consumer. */
interface ConsumerCall {
  /** Path of all consumers of the workspace. */
  readonly path: string
  readonly send: (method: string, path: string, body?: object) => Promise<unknown>
}

interface StartFlags {
  readonly start?: string
  readonly after?: string
  readonly since?: string
}

/** Commands for consumers, which are for receivers without a public address. */
export function addConsumerCommands(consumer: Command): void {
  const create = withStart(
    consumer.command('create <name>').description('Create a consumer'),
    'now (default), or oldest: the oldest stored event',
  ).option('--types <types...>', 'only events of these types (default: all); separated by commas or spaces')
  withConsumers<StartFlags & { readonly types?: readonly string[] }>(
    create,
    async ({ path, send }, flags, name) => {
      print(await createIn({ path, send }, { name, ...startOf(flags) }, wordsOf(flags.types)))
    },
  )
  withConsumers(
    consumer.command('list').description('List consumers and their lag, newest first'),
    async ({ path, send }) => print(await send('GET', `${path}?limit=100`)),
  )
  withConsumers(
    consumer.command('get <name>').description('Show a consumer and its lag'),
    async ({ path, send }, _, name) => print(await send('GET', `${path}/${name}`)),
  )
  const seek = withStart(
    consumer.command('seek <name>').description('Move a consumer back or forward'),
    'now, or oldest: the oldest stored event',
  )
  withConsumers<StartFlags>(seek, async ({ path, send }, flags, name) => {
    if (Object.keys(startOf(flags)).length === 0)
      throw new SettingError('consumer seek: give the position with --start, --after or --since')
    print(await send('POST', `${path}/${name}/seek`, startOf(flags)))
  })
  withConsumers(
    consumer.command('delete <name>').description('Delete a consumer; the events are kept'),
    async ({ path, send }, _, name) => {
      await send('DELETE', `${path}/${name}`)
      process.stdout.write(`Deleted the consumer ${decodeURIComponent(name)}.\n`)
    },
  )
  const read = consumer
    .command('read <name>')
    .summary('Print events as they come, one line of JSON each, and acknowledge them')
    .description(
      'Print events as they come, one line of JSON each. An event is acknowledged once it is printed, so the next run continues after it. The command runs until you stop it, and retries while the service is unavailable.',
    )
    .option('--once', 'exit when there are no more events')
    .option('--no-ack', 'print the events that are there without acknowledging them, and exit')
  withConsumers<ReadFlags>(read, follow)
}

function withStart(command: Command, start: string): Command {
  return command
    .option('--start <start>', start)
    .option('--after <event>', 'start after this event: an event id, or a cursor of the feed')
    .option(
      '--since <time>',
      'start with the first event accepted at or after this time, such as 2026-03-14T00:00:00Z',
    )
}

const startOf = ({ start, after, since }: StartFlags): object => ({
  ...(start === undefined ? {} : { start }),
  ...(after === undefined ? {} : { after }),
  ...(since === undefined ? {} : { since }),
})

const wordsOf = (flags: readonly string[] = []): string[] =>
  flags.flatMap((words) => words.split(',')).filter((word) => word !== '')

/** A service spells its members in snake or camel case. A request that is rejected for an unknown member has changed nothing. */
async function createIn(
  { path, send }: ConsumerCall,
  body: object,
  types: readonly string[],
): Promise<unknown> {
  if (types.length === 0) return send('POST', path, body)
  try {
    return await send('POST', path, { ...body, event_types: types })
  } catch (error) {
    const isUnknown =
      error instanceof RemoteError && error.mistakes.some(({ pointer }) => pointer === '/event_types')
    if (!isUnknown) throw error
    return send('POST', path, { ...body, eventTypes: types })
  }
}

interface ReadFlags {
  readonly once?: true
  readonly ack: boolean
}

interface Page {
  readonly events: readonly object[]
  readonly ack: string | null
  readonly gap: { readonly events: number } | null
}

/** Whether a retry may help. After a seek (409), reading again helps. */
const mayPass = ({ status }: RemoteError): boolean =>
  status === null || status === 409 || status === 429 || status >= 500

async function follow({ path, send }: ConsumerCall, { once, ack }: ReadFlags, name: string): Promise<void> {
  // The reader of stdout has exited, as `head` does: events that it did not read stay unacknowledged.
  process.stdout.once('error', () => process.exit(0))
  const wait = once || !ack ? 0 : WAIT_S
  let backoffMs = FIRST_BACKOFF_MS
  for (;;) {
    try {
      const page = (await send('GET', `${path}/${name}/events?limit=${PAGE}&wait=${wait}`)) as Page
      await printPage(page)
      if (!ack) return
      if (page.ack !== null) await send('POST', `${path}/${name}/ack`, { ack: page.ack })
      if (once && page.events.length === 0) return
      backoffMs = FIRST_BACKOFF_MS
    } catch (error) {
      if (!(error instanceof RemoteError) || !mayPass(error)) throw error
      process.stderr.write(`${error.message}\n`)
      await sleep(backoffMs)
      backoffMs = Math.min(backoffMs * 2, LONGEST_BACKOFF_MS)
    }
  }
}

/** Resolves when the reader of standard output has taken everything: only then events may be acknowledged. */
async function printPage({ events, gap }: Page): Promise<void> {
  if (gap !== null)
    process.stderr.write(
      `At least ${gap.events} events were removed at the end of the retention before they were acknowledged.\n`,
    )
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('')
  if (lines === '') return
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(lines, (error) => (error ? reject(error) : resolve()))
  })
}

/** Adds the options for a workspace to a command, and passes its consumers to an action. */
function withConsumers<Flags = unknown>(
  command: Command,
  action: (consumers: ConsumerCall, flags: Flags, name: string) => Promise<void>,
): void {
  command
    .requiredOption('--key <key>', 'an API key with a scope for managing webhooks, such as webhooks')
    .option(
      '--workspace <workspace>',
      'slug or id of the workspace; leave it out for services whose paths have no workspace, such as ads',
    )
  const takesName = command.registeredArguments.length > 0
  const run = async (name: string, flags: ConsumerFlags & Flags) => {
    const { key, workspace } = flags
    if (takesName && name === '')
      throw new SettingError(`consumer ${command.name()}: give the name of a consumer`)
    const base = workspace === undefined ? '/api/v1' : `/v1/workspaces/${encodeURIComponent(workspace)}`
    const url = serviceUrl(await configOf(command.opts(), SERVICE_SETTINGS))
    const bearer = { value: key, from: '--key' }
    const send: ConsumerCall['send'] = (method, path, body) => call({ url, method, path, bearer, body })
    const named = command.name() === 'create' ? name : encodeURIComponent(name)
    await action({ path: `${base}/consumers`, send }, flags, named)
  }
  withSettings(command, SERVICE_SETTINGS, MEANINGS).action(
    takesName ? run : (flags: ConsumerFlags & Flags) => run('', flags),
  )
}
