import type { Chosen } from './choose.ts'

/** Of `GET /admin/v1/status`. Slugs and names of workspaces are customers' names, and not in it. */
export const STATUS_CHOSEN = {
  at: true,
  version: true,
  node_id: true,
  accepts_events: true,
  holds_lease: true,
  egress_closed_since: true,
  all_egress_closed_since: true,
  in_flight: true,
  in_memory: true,
  store: { kind: true, schema_version: true, bytes: true },
  disk: { free_bytes: true, size_bytes: true },
  clock: { steady: true, ahead_of_machine_seconds: true },
  nodes: [
    { id: true, version: true, answering: true, alive: true, started_at: true, lease_expires_at: true },
  ],
  rates: { events: true, attempts: true, failed_attempts: true, delivered: true },
  queue: {
    pending: true,
    due: true,
    oldest_due_at: true,
    oldest_pending_at: true,
    oldest_pending_reason: true,
  },
  webhooks: { on: true, failing: true, disabled_last_hour: true },
  failing_workspaces: [{ workspace: { id: true, dialect: true }, attempts: true, failed: true }],
  outbox: {
    outbox: true,
    readable: true,
    publishing: true,
    blocked_workspaces: true,
    pending_events: true,
    oldest_pending_seconds: true,
    failed_events: true,
    stored_bytes: true,
  },
  warnings: [{ code: true, text: true, since: true }],
  to_do: [{ code: true, text: true }],
} as const satisfies Chosen

/** Of `GET /admin/v1/master-keys`: ids of keys, made from them one way. */
export const MASTER_KEYS_CHOSEN = {
  data: [{ id: true, current: true, signing_secrets: true, short_lived: true, removable: true }],
  nodes: [{ id: true, master_keys: [true] }],
} as const satisfies Chosen

/** Of `GET /admin/v1/outages`. */
export const OUTAGES_CHOSEN = {
  data: [{ began_at: true, ended_at: true, waited: true }],
} as const satisfies Chosen
