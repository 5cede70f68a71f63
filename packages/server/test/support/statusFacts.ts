import type { StatusJson } from '../../src/http/admin/status/schema.ts'

type Node = NonNullable<StatusJson['nodes']>[number]

export const STATUS_AT = '2026-11-27T12:00:00.000Z'
/** @param seconds before the status was read */
export const secondsBefore = (seconds: number) =>
  new Date(Date.parse(STATUS_AT) - 1000 * seconds).toISOString()

export const statusNode = (id: number, version: string | null, alive: boolean): Node => ({
  id,
  version,
  alive,
  answering: id === 1,
  started_at: secondsBefore(10_800),
  lease_expires_at: secondsBefore(alive ? -25 : 60),
})

export const STATUS_OUTBOX: NonNullable<StatusJson['outbox']> = {
  outbox: 'orders',
  readable: true,
  publishing: true,
  blocked_workspaces: 0,
  pending_events: 3,
  oldest_pending_seconds: 1,
  failed_events: 0,
  stored_bytes: 100,
}

/** Of a healthy service: only a few receivers of customers fail. */
export const STATUS_WELL: StatusJson = {
  at: STATUS_AT,
  version: '1.0.0',
  node_id: 1,
  accepts_events: true,
  holds_lease: true,
  egress_closed_since: null,
  all_egress_closed_since: null,
  in_flight: 1,
  in_memory: 4,
  store: { kind: 'postgresql', schema_version: 12, bytes: 1_234_000_000 },
  disk: { free_bytes: 50e9, size_bytes: 100e9 },
  clock: { steady: true, ahead_of_machine_seconds: 0.01 },
  nodes: [statusNode(1, '1.0.0', true), statusNode(2, '1.0.0', true)],
  rates: { events: 12.5, attempts: 13, failed_attempts: 1, delivered: 12 },
  queue: {
    pending: 5,
    due: 2,
    oldest_due_at: secondsBefore(10),
    oldest_pending_at: secondsBefore(10_800),
    oldest_pending_reason: 'retry',
  },
  webhooks: { on: 100, failing: 4, disabled_last_hour: 1 },
  failing_workspaces: [],
  outbox: STATUS_OUTBOX,
  warnings: [],
  to_do: [],
}
