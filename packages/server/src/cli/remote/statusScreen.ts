import { durationInWords } from '../../core/duration.ts'
import type { StatusJson } from '../../http/admin/status/schema.ts'
import { printable } from '../words.ts'

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const
const UNREAD = 'could not be read'

/** One screen for people. The last section lists what to do, and is empty when all is well. */
export function statusScreen(status: StatusJson): string {
  const lines = [
    ['node', nodeLine(status)],
    ...(status.nodes ?? []).map((node) => ['', otherNodeLine(status, node)]),
    ...(status.nodes === null ? [['', `nodes: ${UNREAD}`]] : []),
    ['store', storeLine(status)],
    ['disk', diskLine(status)],
    ['clock', clockLine(status)],
    ['network', networkLine(status)],
    ['rates', ratesLine(status)],
    ['backlog', backlogLine(status)],
    ['webhooks', webhooksLine(status)],
    ...failingLines(status),
    ...(status.outbox === null ? [] : [['outbox', outboxLine(status.outbox)]]),
  ]
  const width = Math.max(...lines.map(([name]) => name!.length))
  const screen = lines.map(([name, text]) => `${name!.padEnd(width)}  ${text}`.trimEnd())
  return printable(`${[...screen, '', ...toDo(status)].join('\n')}\n`)
}

function nodeLine({
  version,
  node_id,
  accepts_events,
  holds_lease,
  in_flight,
  in_memory,
}: StatusJson): string {
  const ready = accepts_events ? 'accepts events' : 'ACCEPTS NO EVENTS'
  const lease = holds_lease ? '' : ', HOLDS NO LEASE'
  return `${node_id} answers, ${version}: ${ready}${lease}; ${counted(in_flight, 'attempt')} in flight, ${in_memory} in memory`
}

function otherNodeLine({ at }: StatusJson, node: NonNullable<StatusJson['nodes']>[number]): string {
  const { id, version, answering, alive, started_at, lease_expires_at } = node
  const started = started_at === null ? '' : `, up ${between(started_at, at)}`
  const lease = alive
    ? `lease expires in ${between(at, lease_expires_at)}`
    : `DEAD: lease expired ${between(lease_expires_at, at)} ago`
  return `${id}${answering ? '*' : ''}  ${version ?? 'older release'}${started}, ${lease}`
}

function storeLine({ store: { kind, schema_version, bytes } }: StatusJson): string {
  const name = kind === 'embedded' ? 'embedded' : 'PostgreSQL'
  return `${name}, schema ${schema_version}, ${bytes === null ? `size ${UNREAD}` : sized(bytes)}`
}

function diskLine({ disk }: StatusJson): string {
  if (disk === null) return UNREAD
  const percent = Math.floor((100 * disk.free_bytes) / disk.size_bytes)
  return `${sized(disk.free_bytes)} of ${sized(disk.size_bytes)} free (${percent} %), data directory`
}

function clockLine({ clock: { steady, ahead_of_machine_seconds: ahead } }: StatusJson): string {
  const trusted = steady ? 'trusted' : 'not trusted yet, nothing is deleted'
  return Math.abs(ahead) < 1
    ? trusted
    : `${trusted}; the database is ${ahead.toFixed(1)} s ahead of this machine`
}

function networkLine({
  egress_closed_since: since,
  all_egress_closed_since: noneSince,
  at,
}: StatusJson): string {
  if (noneSince !== null) return `NO NODE HAS SENT for ${between(noneSince, at)}`
  return since === null ? 'open' : `THIS NODE HAS NOT SENT for ${between(since, at)}; others send`
}

function ratesLine({ rates }: StatusJson): string {
  if (rates === null) return UNREAD
  const { events, attempts, failed_attempts: failed, delivered } = rates
  return `${events} events/s in, ${delivered} deliveries/s out; ${attempts} attempts/s, ${failed} failed/s (last 5 minutes)`
}

function backlogLine({ queue, at }: StatusJson): string {
  if (queue === null) return UNREAD
  const { pending, due, oldest_due_at, oldest_pending_at, oldest_pending_reason: reason } = queue
  const overdue = oldest_due_at === null ? '' : `, the oldest for ${between(oldest_due_at, at)}`
  const oldest =
    oldest_pending_at === null
      ? ''
      : `; the oldest is ${between(oldest_pending_at, at)} old and waits: ${reason}`
  return `${pending} pending, ${due} due${overdue}${oldest}`
}

function webhooksLine({ webhooks }: StatusJson): string {
  if (webhooks === null) return UNREAD
  const { on, failing, disabled_last_hour: disabled } = webhooks
  return `${on} enabled, ${failing} failing, ${disabled} disabled in the last hour`
}

const failingLines = ({ failing_workspaces: workspaces }: StatusJson): string[][] =>
  (workspaces ?? []).map(({ workspace, attempts, failed }) => [
    '',
    `${workspace.slug}: ${failed} of ${attempts} attempts failed in the last hour`,
  ])

function outboxLine(outbox: NonNullable<StatusJson['outbox']>): string {
  const { readable, publishing, pending_events, oldest_pending_seconds, blocked_workspaces, failed_events } =
    outbox
  const state = readable === false ? 'CANNOT BE READ' : publishing ? 'publishing' : 'CANNOT PUBLISH'
  const age = durationInWords(Math.round(oldest_pending_seconds) * 1000)
  return `${outbox.outbox}: ${state}; ${pending_events} pending, the oldest ${age} old; ${blocked_workspaces} blocked workspaces, ${failed_events} rejected events; ${sized(outbox.stored_bytes)}`
}

function toDo({ to_do }: StatusJson): string[] {
  if (to_do.length === 0) return ['Nothing to do.']
  return ['What to do:', ...to_do.map(({ code, text }) => `- ${text} [${code}]`)]
}

const between = (from: string, to: string) =>
  durationInWords(Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000) * 1000))

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

function sized(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`
}
