import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { configOf, withSettings } from '../flags.ts'
import { SERVICE_SETTINGS, SettingError } from '../settings.ts'
import { MEANINGS, print } from './byAdmin.ts'
import { call, RemoteError, serviceUrl } from './client.ts'

const LOOK_EVERY_MS = 500

interface WebhookFlags {
  readonly key: string
  readonly workspace?: string
}

/** Calls for one webhook. */
interface WebhookCall {
  /** Path of the webhook. */
  readonly path: string
  /** Services without a workspace in paths list deliveries and recoveries beside the webhooks. */
  readonly isFlat: boolean
  readonly send: (method: string, path: string, body?: object) => Promise<unknown>
}

/** Commands for owners of a webhook: `test`, `retry` and `recover`. */
export function addWebhookCommands(program: Command): void {
  addTestCommand(program.command('test <webhook>').description('Send one test to a webhook'))
  addRetryCommand(
    program
      .command('retry <webhook>')
      .summary('Retry pending deliveries: one first, then more while they succeed')
      .description(
        'Retry pending deliveries: one first, then more while they succeed. The first failed attempt stops the retry, and counts as an attempt of its delivery. Exit code 1 if an attempt fails, or if the webhook is paused or disabled.',
      ),
  )
  addRecoverCommand(
    program
      .command('recover <webhook>')
      .summary('Send failed and canceled deliveries again')
      .description('Send failed and canceled deliveries again. Exit code 1 if the recovery is canceled.'),
  )
}

function addTestCommand(test: Command): void {
  test.option('--type <type>', 'send the example of this event type; the webhook must be subscribed to it')
  withWebhook<{ readonly type?: string }>(test, async ({ path, send }, { type }) => {
    print(await send('POST', `${path}/test`, type === undefined ? {} : { type }))
  })
}

interface RetryFlags {
  readonly delivery?: string
  readonly wait: boolean
}

interface Retry {
  readonly status: 'running' | 'done' | 'failed' | 'stopped'
  readonly pending: number
  readonly delivered: number
  readonly has_more?: boolean
  readonly hasMore?: boolean
}

function addRetryCommand(retry: Command): void {
  retry
    .option('--delivery <id>', 'retry only this delivery, without waiting for its result')
    .option('--no-wait', 'start the retry, print it, and do not wait until it ends')
  withWebhook<RetryFlags>(retry, async ({ path, isFlat, send }, { delivery, wait }) => {
    if (delivery !== undefined) {
      const deliveries = isFlat ? '/api/v1/webhook-deliveries' : `${path}/deliveries`
      return print(await send('POST', `${deliveries}/${encodeURIComponent(delivery)}/retry`))
    }
    const begun = (await send('POST', `${path}/retry`)) as Retry
    const latest = wait
      ? await waitUntilEnded(begun, {
          read: async () => (await send('GET', `${path}/retry`)) as Retry,
          line: ({ delivered, pending, has_more, hasMore }) =>
            `${delivered} delivered, ${pending}${has_more || hasMore ? ' or more' : ''} pending`,
        })
      : begun
    print(latest)
    if (latest.status === 'failed' || latest.status === 'stopped') process.exitCode = 1
  })
}

interface RecoverFlags {
  readonly since: string
  readonly until?: string
  readonly status?: readonly string[]
  readonly types?: readonly string[]
  readonly dryRun?: true
  readonly wait: boolean
}

interface Recovery {
  readonly id: string
  readonly status: 'running' | 'done' | 'canceled'
  readonly total: number
  readonly done: number
  readonly delivered: number
  readonly failed: number
}

function addRecoverCommand(recover: Command): void {
  recover
    .requiredOption(
      '--since <time>',
      'only deliveries of events at or after this time, such as 2026-03-14T00:00:00Z',
    )
    .option('--until <time>', 'only deliveries of events before this time (default: now)')
    .option(
      '--status <states...>',
      'failed (ads: dead), canceled (default: both); separated by commas or spaces',
    )
    .option('--types <types...>', 'event types (default: all); separated by commas or spaces')
    .option('--dry-run', 'only count what would be sent')
    .option('--no-wait', 'start the recovery, print it, and do not wait until it ends')
  withWebhook<RecoverFlags>(recover, async (webhook, flags) => {
    const { since, until, status, types } = flags
    const filter = {
      since,
      ...(until === undefined ? {} : { until }),
      ...(status === undefined ? {} : { status: wordsOf(status) }),
      ...(types === undefined ? {} : { types: wordsOf(types) }),
    }
    if (flags.dryRun) return print(await dryRun(webhook, filter))
    const begun = (await webhook.send('POST', `${webhook.path}/recover`, filter)) as Recovery
    const recovery = flags.wait ? await waitForRecovery(webhook, begun) : begun
    print(recovery)
    if (recovery.status === 'canceled') process.exitCode = 1
  })
}

const wordsOf = (flags: readonly string[]): string[] =>
  flags.flatMap((words) => words.split(',')).filter((word) => word !== '')

/** A service spells its members in snake or camel case. A request that is rejected for an unknown member has changed nothing. */
async function dryRun({ path, isFlat, send }: WebhookCall, filter: object): Promise<unknown> {
  const [first, second] = isFlat ? ['dryRun', 'dry_run'] : ['dry_run', 'dryRun']
  try {
    return await send('POST', `${path}/recover`, { ...filter, [first!]: true })
  } catch (error) {
    const isUnknown =
      error instanceof RemoteError && error.mistakes.some(({ pointer }) => pointer === `/${first}`)
    if (!isUnknown) throw error
    return send('POST', `${path}/recover`, { ...filter, [second!]: true })
  }
}

function waitForRecovery({ path, isFlat, send }: WebhookCall, begun: Recovery): Promise<Recovery> {
  const recoveries = isFlat ? '/api/v1/webhook-deliveries/recoveries' : `${path}/recoveries`
  return waitUntilEnded(begun, {
    read: async () => (await send('GET', `${recoveries}/${begun.id}`)) as Recovery,
    line: ({ total, done, delivered, failed }) =>
      `${done} of ${total} finished: ${delivered} delivered, ${failed} failed`,
  })
}

/** Its state when it no longer runs; until then its progress is printed to standard error. */
async function waitUntilEnded<Job extends { readonly status: string }>(
  begun: Job,
  { read, line }: { readonly read: () => Promise<Job>; readonly line: (job: Job) => string },
): Promise<Job> {
  let job = begun
  let shown = ''
  for (;;) {
    const progress = line(job)
    if (progress !== shown) process.stderr.write(`${progress}\n`)
    if (job.status !== 'running') return job
    shown = progress
    await sleep(LOOK_EVERY_MS)
    try {
      job = await read()
    } catch (error) {
      // It continues, although the key may not read its progress: the last known state is printed before the error.
      print(job)
      throw error
    }
  }
}

/** Adds the options for a webhook to a command, and passes the webhook to an action. */
function withWebhook<Flags>(
  command: Command,
  action: (webhook: WebhookCall, flags: Flags) => Promise<void>,
): void {
  command
    .requiredOption('--key <key>', 'an API key with a scope for managing webhooks, such as webhooks')
    .option(
      '--workspace <workspace>',
      'slug or id of the workspace; leave it out for services whose paths have no workspace, such as ads',
    )
  withSettings(command, SERVICE_SETTINGS, MEANINGS).action(
    async (webhook: string, flags: WebhookFlags & Flags) => {
      const { key, workspace } = flags
      if (webhook === '') throw new SettingError(`${command.name()}: give the id of a webhook`)
      const isFlat = workspace === undefined
      const base = isFlat ? '/api/v1' : `/v1/workspaces/${encodeURIComponent(workspace)}`
      const url = serviceUrl(await configOf(command.opts(), SERVICE_SETTINGS))
      const bearer = { value: key, from: '--key' }
      await action(
        {
          path: `${base}/webhooks/${encodeURIComponent(webhook)}`,
          isFlat,
          send: (method, path, body) => call({ url, method, path, bearer, body }),
        },
        flags,
      )
    },
  )
}
