import type { MovedTable } from './movedTable.ts'

const manualSends: MovedTable = {
  name: 'manual_sends',
  columns: { id: 'integer', workspace_id: 'integer', sent_at: 'integer' },
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

const notifications: MovedTable = {
  name: 'notifications',
  columns: {
    id: 'integer',
    message_key: 'text',
    kind: 'text',
    workspace_id: 'integer',
    webhook_id: 'integer',
    member_id: 'integer',
    to_email: 'text',
    sealed: 'bytes',
    data: 'text',
    created_at: 'integer',
    expires_at: 'integer',
    due_at: 'integer',
    claim: 'text',
    attempts: 'integer',
    last_error: 'text',
    sent_at: 'integer',
    given_up_at: 'integer',
  },
  walk: ['id'],
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

const idempotencyKeys: MovedTable = {
  name: 'idempotency_keys',
  columns: {
    scope: 'text',
    key: 'text',
    fingerprint: 'bytes',
    verb: 'text',
    result: 'text',
    memo: 'bytes',
    memo_until: 'integer',
    created_at: 'integer',
  },
  walk: ['created_at', 'scope', 'key'],
}

/** What is remembered of what people asked for. */
export const MEMORY_TABLES: readonly MovedTable[] = [
  manualSends,
  replays,
  notifications,
  auditLog,
  idempotencyKeys,
]
