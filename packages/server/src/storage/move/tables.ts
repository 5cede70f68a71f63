import type { Kind } from './columns.ts'

/** A table of PostgreSQL, and where its rows are in the embedded store. */
export interface MovedTable {
  readonly name: string
  readonly columns: Readonly<Record<string, Kind>>
  /** In the embedded store; the table of the same name when left out. */
  readonly from?: string
  /** What columns are in the embedded store, where they are not columns of the same name. */
  readonly sources?: Readonly<Record<string, string>>
  /**
   * The order in which rows are walked through, which is total. The first column is an integer: what is copied or
   * compared at once is what lies between two values of it, and both stores find that by an index.
   */
  readonly walk: readonly [string, ...string[]]
  /** Another table that is written along with this one. */
  readonly beside?: {
    /** Its sources are columns of this one. */
    readonly table: MovedTable
    readonly where: string
  }
}

/** @returns how the embedded store writes a column */
export const sourceOf = ({ sources = {} }: MovedTable, column: string): string => sources[column] ?? column

/** @param columns names of columns by what they hold, separated by spaces */
function table(
  name: string,
  columns: Readonly<Partial<Record<Kind, string>>>,
  others: Partial<Omit<MovedTable, 'name' | 'columns'>> = {},
): MovedTable {
  const named = Object.entries(columns).flatMap(([kind, names]) =>
    names.split(' ').map((column) => [column, kind as Kind]),
  )
  return { name, columns: Object.fromEntries(named) as Record<string, Kind>, walk: ['id'], ...others }
}

/** Workspaces and what belongs to them. */
const ACCOUNT_TABLES = [
  table('workspaces', {
    integer: 'id suspended_at created_at deleted_at',
    text: 'public_id dialect slug name',
  }),
  table('members', {
    integer: 'id workspace_id created_at',
    text: 'public_id email name role',
    boolean: 'failing_warnings',
  }),
  table('keys', {
    integer: 'id workspace_id member_id created_at expires_at revoked_at last_used_at',
    text: 'public_id name scopes',
    bytes: 'hash',
  }),
  table('sessions', { integer: 'id member_id created_at expires_at', text: 'public_id', bytes: 'hash' }),
  table('operators', { integer: 'id created_at', text: 'public_id email name' }),
  table('browser_sessions', { integer: 'id created_at expires_at', text: 'public_id email', bytes: 'hash' }),
  table('sign_in_links', {
    integer: 'id member_id created_at expires_at used_at',
    text: 'kind email',
    bytes: 'hash',
  }),
  table('webhooks', {
    integer:
      'id workspace_id failing_since created_at updated_at version canceled_through canceled_at deleted_at ' +
      'stopped_at disabled_version disabled_at',
    text: 'public_id url event_types description status off_reason created_by_type created_by_public_id',
    boolean: 'warned',
  }),
  table(
    'webhook_urls',
    { integer: 'webhook_id from_version', text: 'url' },
    { walk: ['webhook_id', 'from_version'] },
  ),
  table('secrets', {
    integer: 'id webhook_id created_at expires_at from_version until_version',
    bytes: 'sealed',
  }),
]

// What is written along with events and deliveries; it is compared like they are.
const BROUGHT_IDS = table(
  'brought_ids',
  { integer: 'workspace_id event_id created_at', text: 'brought_id', bytes: 'fingerprint' },
  {
    from: '(SELECT * FROM events WHERE brought_id IS NOT NULL)',
    sources: { event_id: 'id' },
    walk: ['created_at', 'event_id'],
  },
)
const WAITING = table(
  'waiting',
  { integer: 'webhook_id due_at delivery_id created_at' },
  {
    from: `(SELECT * FROM deliveries WHERE status = 'pending')`,
    sources: { due_at: 'next_attempt_at', delivery_id: 'id' },
    walk: ['created_at', 'delivery_id'],
  },
)

/** Events and what became of them. */
const EVENT_TABLES = [
  table(
    'events',
    { integer: 'id workspace_id created_at xact', text: 'type brought_id body', bytes: 'fingerprint' },
    {
      // A place in the feed stays the number that it was, below that of any transaction to come: cursors go on there.
      sources: { xact: 'seq' },
      beside: { table: BROUGHT_IDS, where: 'brought_id IS NOT NULL' },
    },
  ),
  table(
    'recent_events',
    { integer: 'workspace_id created_at event_id', text: 'type' },
    {
      from: 'recent_events r CROSS JOIN events e ON e.id = r.event_id',
      sources: { workspace_id: 'r.workspace_id', type: 'r.type', created_at: 'e.created_at' },
      walk: ['workspace_id', 'type', 'event_id'],
    },
  ),
  table(
    'deliveries',
    {
      integer:
        'id created_at event_id webhook_id next_attempt_at lease finished_at first_started_at first_duration_ms ' +
        'first_webhook_version attempts run_start first_status_code',
      text: 'status trigger ended_badly cancel_reason first_content_type',
      bytes: 'first_body',
    },
    {
      // No node holds anything: none serves the store.
      sources: {
        lease: 'NULL',
        ended_badly: `
          CASE WHEN status IN ('failed', 'dead', 'canceled') THEN status
            WHEN status = 'pending' AND attempts > 0 THEN 'retrying' END`,
      },
      beside: { table: WAITING, where: `status = 'pending'` },
    },
  ),
  table(
    'attempts',
    {
      integer: 'delivery_id created_at number webhook_version started_at duration_ms status_code',
      text: 'trigger error_code error_message content_type',
      bytes: 'response_body',
    },
    {
      from: 'attempts a CROSS JOIN deliveries d ON d.id = a.delivery_id',
      sources: { delivery_id: 'a.delivery_id', created_at: 'd.created_at', trigger: 'a.trigger' },
      walk: ['delivery_id', 'number'],
    },
  ),
  table('match_sets', { integer: 'id workspace_id', text: 'webhooks' }),
  // Ids that the embedded store reserved for their deliveries stay unused; PostgreSQL gives others.
  table(
    'fanouts',
    { integer: 'event_id created_at workspace_id set_id position' },
    {
      from: 'fanouts f CROSS JOIN events e ON e.id = f.event_id',
      sources: { workspace_id: 'f.workspace_id', created_at: 'e.created_at' },
      walk: ['event_id'],
    },
  ),
  table('fanout_queues', { integer: 'workspace_id waiting' }, { walk: ['workspace_id'] }),
]

/** What is remembered of what people asked for, and what was counted. */
const OTHER_TABLES = [
  table('manual_sends', { integer: 'id workspace_id sent_at' }),
  table('replays', {
    integer:
      'id workspace_id webhook_id from_time to_time max total replayed at_webhook_id at_time at_delivery_id ' +
      'created_at finished_at',
    text: 'public_id event_type',
  }),
  table('notifications', {
    integer: 'id workspace_id webhook_id member_id created_at expires_at due_at attempts sent_at given_up_at',
    text: 'message_key kind to_email data claim last_error',
    bytes: 'sealed',
  }),
  table('audit_log', {
    integer: 'id at',
    text: 'action actor_type actor_id session_id workspace_public_id target_type target_id details request_id',
  }),
  table(
    'idempotency_keys',
    { integer: 'memo_until created_at', text: 'scope key verb result', bytes: 'fingerprint memo' },
    { walk: ['created_at', 'scope', 'key'] },
  ),
  table('figures_deltas', { integer: 'id at', text: 'scope data' }),
  table('figures', { integer: 'id at sheet', text: 'unit scope data' }),
  table('queue_samples', { integer: 'at pending due oldest_due_at' }, { walk: ['at'] }),
]

/** What is copied, in an order in which nothing refers to what is not there yet. */
export const MOVED_TABLES: readonly MovedTable[] = [...ACCOUNT_TABLES, ...EVENT_TABLES, ...OTHER_TABLES]

export const COMPARED_TABLES: readonly MovedTable[] = [...MOVED_TABLES, BROUGHT_IDS, WAITING]

/** Tables whose ids the database gives out. */
export const IDENTITY_TABLES: readonly string[] = MOVED_TABLES.filter(
  ({ name, columns }) => 'id' in columns && name !== 'events' && name !== 'deliveries',
).map(({ name }) => name)
