import type { MovedTable } from './movedTable.ts'

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

const recentEvents: MovedTable = {
  name: 'recent_events',
  columns: { workspace_id: 'integer', type: 'text', created_at: 'integer', event_id: 'integer' },
  from: 'recent_events r CROSS JOIN events e ON e.id = r.event_id',
  sources: { workspace_id: 'r.workspace_id', type: 'r.type', created_at: 'e.created_at' },
  walk: ['workspace_id', 'type', 'event_id'],
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
    cancel_reason: 'text',
    first_content_type: 'text',
    first_body: 'bytes',
  },
  // No node holds anything: none serves the store.
  sources: {
    lease: 'NULL',
    ended_badly: `
      CASE WHEN status IN ('failed', 'dead', 'canceled') THEN status
        WHEN status = 'pending' AND attempts > 0 THEN 'retrying' END`,
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

const matchSets: MovedTable = {
  name: 'match_sets',
  columns: { id: 'integer', workspace_id: 'integer', webhooks: 'text' },
  walk: ['id'],
}

/** Ids that the embedded store reserved for their deliveries stay unused; PostgreSQL gives others. */
const fanouts: MovedTable = {
  name: 'fanouts',
  columns: {
    event_id: 'integer',
    created_at: 'integer',
    workspace_id: 'integer',
    set_id: 'integer',
    position: 'integer',
  },
  from: 'fanouts f CROSS JOIN events e ON e.id = f.event_id',
  sources: { workspace_id: 'f.workspace_id', created_at: 'e.created_at' },
  walk: ['event_id'],
}

const fanoutQueues: MovedTable = {
  name: 'fanout_queues',
  columns: { workspace_id: 'integer', waiting: 'integer' },
  walk: ['workspace_id'],
}

/** Events and what became of them. */
export const EVENT_TABLES: readonly MovedTable[] = [
  events,
  recentEvents,
  deliveries,
  attempts,
  matchSets,
  fanouts,
  fanoutQueues,
]

const broughtIds: MovedTable = {
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
}

const waiting: MovedTable = {
  name: 'waiting',
  columns: { webhook_id: 'integer', due_at: 'integer', delivery_id: 'integer', created_at: 'integer' },
  from: `(SELECT * FROM deliveries WHERE status = 'pending')`,
  sources: { due_at: 'next_attempt_at', delivery_id: 'id' },
  walk: ['created_at', 'delivery_id'],
}

/** What is written along with events and deliveries; it is compared like they are. */
export const TABLES_BESIDE: readonly MovedTable[] = [broughtIds, waiting]
