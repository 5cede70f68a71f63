import type { StatusJson } from './schema.ts'

type Facts = Omit<StatusJson, 'to_do'>
type Advice = StatusJson['to_do'][number]

/** These limits are those of ops/alerts.yaml; a test compares them. */
const OVERDUE_MS = 900_000
const CLOCKS_DIFFER_SECONDS = 30
const DISK_ALMOST_FULL = 0.1
const DISK_FULL = 0.02
/** Fewer failing webhooks, or a smaller share, concern only their owners. */
const MANY_WEBHOOKS = { count: 5, share: 0.2 }
/** Warnings with other advice above. */
const COVERED_WARNINGS = ['sending_held', 'clock_differs']

/** What an operator has to do, by the limits of the alert rules; most urgent first. */
export function adviceOf(facts: Facts): Advice[] {
  return [
    ...ofStore(facts),
    ...ofSending(facts),
    ...ofNodes(facts),
    ...ofReceivers(facts),
    ...ofOutbox(facts),
    ...facts.warnings
      .filter(({ code }) => !COVERED_WARNINGS.includes(code))
      .map(({ code, text }) => ({ code, text })),
  ]
}

/** @returns nothing when `holds` is false */
const when = (holds: boolean, code: string, text: string): Advice[] => (holds ? [{ code, text }] : [])

function ofStore({ accepts_events, store, disk, ...facts }: Facts): Advice[] {
  const free = disk === null ? 1 : disk.free_bytes / disk.size_bytes
  const percent = `${Math.floor(free * 100)} %`
  const where = store.kind === 'embedded' ? 'the disk of the data directory' : 'the database'
  const unread = (['nodes', 'rates', 'queue', 'webhooks', 'failing_workspaces'] as const).filter(
    (part) => facts[part] === null,
  )
  return [
    ...when(
      !accepts_events,
      'PosthornTakesNoEvents',
      `This node accepts no events: the store is unavailable. Look at ${where}; the log line "the store is unavailable" contains the reason. No acknowledged event is lost.`,
    ),
    ...when(
      free < DISK_FULL,
      'PosthornDiskFull',
      `Only ${percent} of the disk of the data directory is free. Free some space, but do not delete files of the store.`,
    ),
    ...when(
      free >= DISK_FULL && free < DISK_ALMOST_FULL,
      'PosthornDiskAlmostFull',
      `Only ${percent} of the disk of the data directory is free. Enlarge the disk, or shorten POSTHORN_RETENTION.`,
    ),
    ...when(
      accepts_events && unread.length > 0,
      'NotRead',
      `The store did not answer in time for: ${unread.join(', ')}. Run this again; if it persists, check the load of ${where}.`,
    ),
  ]
}

function ofSending({
  egress_closed_since,
  all_egress_closed_since,
  holds_lease,
  queue,
  at,
  ...facts
}: Facts): Advice[] {
  const overdue =
    queue?.oldest_due_at != null && Date.parse(at) - Date.parse(queue.oldest_due_at) > OVERDUE_MS
  return [
    ...when(
      all_egress_closed_since !== null,
      'PosthornEgressClosed',
      'No node can reach any receiver. Check the network, the forward proxy, the name servers and the limit of open files. Deliveries wait and are sent afterwards.',
    ),
    ...when(
      all_egress_closed_since === null && egress_closed_since !== null,
      'PosthornNodeEgressClosed',
      'This node cannot reach any receiver, but other nodes can. Check the network of this machine.',
    ),
    ...when(
      facts.accepts_events && !holds_lease,
      'PosthornNodeNotReady',
      'This node sends nothing: it could not renew its lease. Check its connection to the database.',
    ),
    ...when(
      overdue && egress_closed_since === null,
      'PosthornDeliveriesOverdue',
      `Deliveries have been due since ${queue?.oldest_due_at}. If the CPU is busy, add nodes. If the attempts in flight reach POSTHORN_MAX_IN_FLIGHT, raise it or add nodes. One slow receiver delays only its own deliveries.`,
    ),
  ]
}

function ofNodes({ nodes, clock }: Facts): Advice[] {
  const dead = (nodes ?? []).filter(({ alive }) => !alive).map(({ id }) => id)
  const versions = new Set(
    (nodes ?? []).filter(({ alive }) => alive).map(({ version }) => version ?? 'older'),
  )
  const apart = Math.round(Math.abs(clock.ahead_of_machine_seconds))
  return [
    ...when(
      dead.length > 0,
      'PosthornNodeDown',
      `The lease of node ${dead.join(', ')} has expired: it stopped or cannot reach the store. Other nodes take over its deliveries. Check its log and restart it.`,
    ),
    ...when(
      versions.size > 1,
      'PosthornVersionsDiffer',
      `Nodes run different releases: ${[...versions].join(', ')}. Finish the upgrade.`,
    ),
    ...when(
      apart > CLOCKS_DIFFER_SECONDS,
      'PosthornClockDiffers',
      `The clocks of this machine and of the database differ by ${apart} s. Check NTP on both.`,
    ),
  ]
}

function ofReceivers({ webhooks }: Facts): Advice[] {
  if (webhooks === null) return []
  const { failing, on } = webhooks
  return when(
    failing >= MANY_WEBHOOKS.count && failing > MANY_WEBHOOKS.share * on,
    'PosthornManyWebhooksFailing',
    `${failing} of ${on} webhooks are failing. GET /admin/v1/failing-webhooks?now=true lists them. If all fail with the same error, check your own network first.`,
  )
}

function ofOutbox({ outbox }: Facts): Advice[] {
  if (outbox === null) return []
  const { outbox: name, readable, publishing, blocked_workspaces: blocked, failed_events: failed } = outbox
  return [
    ...when(
      readable === false,
      'PosthornOutboxUnreadable',
      `The outbox ${name} cannot be read. Its events wait. Check the database of the producer.`,
    ),
    ...when(
      !publishing,
      'PosthornOutboxNotPublishing',
      `Events of the outbox ${name} cannot be published at the moment. Watch the free disk space of the producer.`,
    ),
    ...when(
      blocked > 0,
      'PosthornOutboxBlocked',
      `${blocked} workspaces cannot publish from the outbox ${name}. posthorn outbox waiting shows the reasons.`,
    ),
    ...when(
      failed > 0,
      'PosthornOutboxFailed',
      `${failed} events of the outbox ${name} were rejected. posthorn outbox failed shows the reasons.`,
    ),
  ]
}
