import type { Kind } from './columns.ts'

/** A table of PostgreSQL, and the source of its rows in the embedded store. */
export interface MovedTable {
  readonly name: string
  /** In the embedded store; default: the table of the same name. */
  readonly from?: string
  /** Expressions in the embedded store for columns that it does not have under the same name. */
  readonly sources?: Readonly<Record<string, string>>
  /**
   * The total order in which rows are read. The first column is an integer: chunks are ranges of it, and both stores find them
   * by an index.
   */
  readonly walk: readonly [string, ...string[]]
  /** Another table that is written along with this one. */
  readonly beside?: {
    /** Its sources are columns of this one. */
    readonly table: MovedTable
    readonly where: string
  }
}

/** A table with its columns that both stores have, in PostgreSQL's order. */
export interface TableWithColumns extends MovedTable {
  readonly columns: Readonly<Record<string, Kind>>
  readonly beside?: { readonly table: TableWithColumns; readonly where: string }
}

/** @returns how the embedded store writes a column */
export const sourceOf = ({ sources = {} }: MovedTable, column: string): string => sources[column] ?? column

const table = (name: string, others: Partial<Omit<MovedTable, 'name'>> = {}): MovedTable => ({
  name,
  walk: ['id'],
  ...others,
})

// These are written along with events and deliveries, and compared like them.
const BROUGHT_IDS = table('brought_ids', {
  from: '(SELECT * FROM events WHERE brought_id IS NOT NULL)',
  sources: { event_id: 'id' },
  walk: ['created_at', 'event_id'],
})
const WAITING = table('waiting', {
  from: `(SELECT * FROM deliveries WHERE status = 'pending')`,
  sources: { due_at: 'next_attempt_at', delivery_id: 'id' },
  walk: ['created_at', 'delivery_id'],
})

/** The tables to copy. No row refers to a table that is copied later. */
export const MOVED_TABLES: readonly MovedTable[] = [
  table('workspaces'),
  table('members'),
  table('keys'),
  table('sessions'),
  table('operators'),
  table('admin_tokens'),
  table('browser_sessions'),
  table('sign_in_links'),
  table('webhooks'),
  table('webhook_urls', { walk: ['webhook_id', 'from_version'] }),
  table('secrets'),
  table('events', {
    // A position in the feed keeps its number, which is below that of any later transaction: cursors continue to work.
    sources: { xact: 'seq' },
    beside: { table: BROUGHT_IDS, where: 'brought_id IS NOT NULL' },
  }),
  table('recent_events', {
    from: 'recent_events r CROSS JOIN events e ON e.id = r.event_id',
    sources: { workspace_id: 'r.workspace_id', type: 'r.type', created_at: 'e.created_at' },
    walk: ['workspace_id', 'type', 'event_id'],
  }),
  table('deliveries', {
    // No delivery is leased: no node serves the store.
    sources: {
      lease: 'NULL',
      ended_badly: `
        CASE WHEN status IN ('failed', 'dead', 'canceled') THEN status
          WHEN status = 'pending' AND attempts > 0 THEN 'retrying' END`,
    },
    beside: { table: WAITING, where: `status = 'pending'` },
  }),
  table('attempts', {
    from: 'attempts a CROSS JOIN deliveries d ON d.id = a.delivery_id',
    sources: { delivery_id: 'a.delivery_id', created_at: 'd.created_at', trigger: 'a.trigger' },
    walk: ['delivery_id', 'number'],
  }),
  table('match_sets'),
  // Ids that the embedded store reserved for their deliveries stay unused; PostgreSQL assigns others.
  table('fanouts', {
    from: 'fanouts f CROSS JOIN events e ON e.id = f.event_id',
    sources: { workspace_id: 'f.workspace_id', created_at: 'e.created_at' },
    walk: ['event_id'],
  }),
  table('fanout_queues', { walk: ['workspace_id'] }),
  table('manual_sends'),
  table('replays'),
  table('retries', { walk: ['webhook_id'] }),
  table('stops'),
  table('consumers'),
  table('notifications'),
  table('alerts'),
  table('exhausted', { walk: ['workspace_id', 'webhook_id'] }),
  table('audit_log'),
  table('idempotency_keys', { walk: ['created_at', 'scope', 'key'] }),
  table('pending_counts'),
  table('stats'),
  table('queue_samples', { walk: ['at'] }),
  table('egress'),
  table('outages'),
  table('profiles', { walk: ['version', 'name'] }),
  table('profile_versions'),
]

export const COMPARED_TABLES: readonly MovedTable[] = [...MOVED_TABLES, BROUGHT_IDS, WAITING]

/** Tables whose ids the database assigns. */
export const IDENTITY_TABLES: readonly string[] = MOVED_TABLES.filter(
  ({ name, walk }) => walk[0] === 'id' && !['events', 'deliveries', 'egress'].includes(name),
).map(({ name }) => name)
