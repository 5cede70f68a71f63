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
    readonly name: string
    /** Columns of the other, and what they are in this one. */
    readonly columns: Readonly<Record<string, string>>
    readonly where: string
  }
}

const webhooks: MovedTable = {
  name: 'webhooks',
  columns: {
    id: 'integer',
    public_id: 'text',
    workspace_id: 'integer',
    url: 'text',
    event_types: 'text',
    description: 'text',
    status: 'text',
    off_reason: 'text',
    failing_since: 'integer',
    warned: 'boolean',
    created_by_type: 'text',
    created_by_public_id: 'text',
    created_at: 'integer',
    updated_at: 'integer',
    version: 'integer',
    canceled_through: 'integer',
    canceled_at: 'integer',
    deleted_at: 'integer',
  },
  walk: ['id'],
}

const events: MovedTable = {
  name: 'events',
  columns: {
    id: 'integer',
    workspace_id: 'integer',
    type: 'text',
    brought_id: 'text',
    fingerprint: 'bytes',
    body: 'text',
    created_at: 'integer',
    xact: 'integer',
  },
  // A place in the feed stays the number that it was, below that of any transaction to come: cursors go on there.
  sources: { xact: 'seq' },
  walk: ['id'],
  beside: {
    name: 'brought_ids',
    columns: {
      workspace_id: 'workspace_id',
      brought_id: 'brought_id',
      event_id: 'id',
      fingerprint: 'fingerprint',
      created_at: 'created_at',
    },
    where: 'brought_id IS NOT NULL',
  },
}

const deliveries: MovedTable = {
  name: 'deliveries',
  columns: {
    id: 'integer',
    created_at: 'integer',
    event_id: 'integer',
    webhook_id: 'integer',
    next_attempt_at: 'integer',
    lease: 'integer',
    finished_at: 'integer',
    first_started_at: 'integer',
    first_duration_ms: 'integer',
    first_webhook_version: 'integer',
    attempts: 'integer',
    run_start: 'integer',
    first_status_code: 'integer',
    status: 'text',
    trigger: 'text',
    ended_badly: 'text',
    first_content_type: 'text',
    first_body: 'bytes',
  },
  // No node holds anything: none serves the store.
  sources: {
    lease: 'NULL',
    ended_badly: `CASE WHEN status IN ('failed', 'dead', 'canceled') THEN status END`,
  },
  walk: ['id'],
  beside: {
    name: 'waiting',
    columns: {
      webhook_id: 'webhook_id',
      due_at: 'next_attempt_at',
      delivery_id: 'id',
      created_at: 'created_at',
    },
    where: `status = 'pending'`,
  },
}

const attempts: MovedTable = {
  name: 'attempts',
  columns: {
    delivery_id: 'integer',
    created_at: 'integer',
    number: 'integer',
    trigger: 'text',
    webhook_version: 'integer',
    started_at: 'integer',
    duration_ms: 'integer',
    status_code: 'integer',
    error_code: 'text',
    error_message: 'text',
    content_type: 'text',
    response_body: 'bytes',
  },
  from: 'attempts a CROSS JOIN deliveries d ON d.id = a.delivery_id',
  sources: { delivery_id: 'a.delivery_id', created_at: 'd.created_at', trigger: 'a.trigger' },
  walk: ['delivery_id', 'number'],
}

const auditLog: MovedTable = {
  name: 'audit_log',
  columns: {
    id: 'integer',
    at: 'integer',
    action: 'text',
    actor_type: 'text',
    actor_id: 'text',
    session_id: 'text',
    workspace_public_id: 'text',
    target_type: 'text',
    target_id: 'text',
    details: 'text',
    request_id: 'text',
  },
  walk: ['id'],
}

const replays: MovedTable = {
  name: 'replays',
  columns: {
    id: 'integer',
    public_id: 'text',
    workspace_id: 'integer',
    webhook_id: 'integer',
    event_type: 'text',
    from_time: 'integer',
    to_time: 'integer',
    max: 'integer',
    total: 'integer',
    replayed: 'integer',
    at_webhook_id: 'integer',
    at_time: 'integer',
    at_delivery_id: 'integer',
    created_at: 'integer',
    finished_at: 'integer',
  },
  walk: ['id'],
}

/** What is copied, in an order in which nothing refers to what is not there yet. */
export const MOVED_TABLES: readonly MovedTable[] = [
  {
    name: 'workspaces',
    columns: {
      id: 'integer',
      public_id: 'text',
      dialect: 'text',
      slug: 'text',
      name: 'text',
      suspended_at: 'integer',
      created_at: 'integer',
      deleted_at: 'integer',
    },
    walk: ['id'],
  },
  {
    name: 'members',
    columns: {
      id: 'integer',
      public_id: 'text',
      workspace_id: 'integer',
      email: 'text',
      name: 'text',
      role: 'text',
      created_at: 'integer',
    },
    walk: ['id'],
  },
  {
    name: 'keys',
    columns: {
      id: 'integer',
      public_id: 'text',
      workspace_id: 'integer',
      member_id: 'integer',
      name: 'text',
      scopes: 'text',
      hash: 'bytes',
      created_at: 'integer',
      expires_at: 'integer',
      revoked_at: 'integer',
      last_used_at: 'integer',
    },
    walk: ['id'],
  },
  {
    name: 'sessions',
    columns: {
      id: 'integer',
      public_id: 'text',
      member_id: 'integer',
      hash: 'bytes',
      created_at: 'integer',
      expires_at: 'integer',
    },
    walk: ['id'],
  },
  webhooks,
  {
    name: 'webhook_urls',
    columns: { webhook_id: 'integer', from_version: 'integer', url: 'text' },
    walk: ['webhook_id', 'from_version'],
  },
  {
    name: 'secrets',
    columns: {
      id: 'integer',
      webhook_id: 'integer',
      sealed: 'bytes',
      created_at: 'integer',
      expires_at: 'integer',
      from_version: 'integer',
      until_version: 'integer',
    },
    walk: ['id'],
  },
  events,
  {
    name: 'recent_events',
    columns: { workspace_id: 'integer', type: 'text', created_at: 'integer', event_id: 'integer' },
    from: 'recent_events r CROSS JOIN events e ON e.id = r.event_id',
    sources: { workspace_id: 'r.workspace_id', type: 'r.type', created_at: 'e.created_at' },
    walk: ['workspace_id', 'type', 'event_id'],
  },
  deliveries,
  attempts,
  {
    name: 'manual_sends',
    columns: { id: 'integer', workspace_id: 'integer', sent_at: 'integer' },
    walk: ['id'],
  },
  replays,
  {
    name: 'notifications',
    columns: {
      id: 'integer',
      kind: 'text',
      workspace_id: 'integer',
      webhook_id: 'integer',
      member_id: 'integer',
      data: 'text',
      created_at: 'integer',
      sent_at: 'integer',
    },
    walk: ['id'],
  },
  auditLog,
  {
    name: 'idempotency_keys',
    columns: {
      scope: 'text',
      key: 'text',
      fingerprint: 'bytes',
      verb: 'text',
      result: 'text',
      memo: 'bytes',
      created_at: 'integer',
    },
    walk: ['created_at', 'scope', 'key'],
  },
]

/** What is written along with other tables; it is compared like they are. */
const BESIDE: readonly MovedTable[] = [
  {
    name: 'brought_ids',
    columns: {
      workspace_id: 'integer',
      brought_id: 'text',
      event_id: 'integer',
      fingerprint: 'bytes',
      created_at: 'integer',
    },
    from: '(SELECT * FROM events WHERE brought_id IS NOT NULL)',
    sources: { event_id: 'id' },
    walk: ['created_at', 'event_id'],
  },
  {
    name: 'waiting',
    columns: { webhook_id: 'integer', due_at: 'integer', delivery_id: 'integer', created_at: 'integer' },
    from: `(SELECT * FROM deliveries WHERE status = 'pending')`,
    sources: { due_at: 'next_attempt_at', delivery_id: 'id' },
    walk: ['created_at', 'delivery_id'],
  },
]

export const COMPARED_TABLES: readonly MovedTable[] = [...MOVED_TABLES, ...BESIDE]

/** Tables whose ids the database gives out. */
export const IDENTITY_TABLES: readonly string[] = MOVED_TABLES.filter(
  ({ name, columns }) => 'id' in columns && name !== 'events' && name !== 'deliveries',
).map(({ name }) => name)

/** @returns how the embedded store writes a column */
export const sourceOf = ({ sources = {} }: MovedTable, column: string): string => sources[column] ?? column
