import { expect, it } from 'vitest'
import { statusScreen } from '../../src/cli/remote/statusScreen.ts'
import type { StatusJson } from '../../src/http/admin/status/schema.ts'

const AT = '2026-11-27T12:00:00.000Z'

const STATUS: StatusJson = {
  at: AT,
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
  clock: { steady: true, ahead_of_machine_seconds: 0 },
  nodes: [
    {
      id: 1,
      version: '1.0.0',
      answering: true,
      alive: true,
      started_at: '2026-11-27T09:00:00.000Z',
      lease_expires_at: '2026-11-27T12:00:25.000Z',
    },
    {
      id: 2,
      version: null,
      answering: false,
      alive: false,
      started_at: null,
      lease_expires_at: '2026-11-27T11:59:00.000Z',
    },
  ],
  rates: { events: 12.5, attempts: 13, failed_attempts: 1, delivered: 12 },
  queue: {
    pending: 5,
    due: 2,
    oldest_due_at: '2026-11-27T11:59:50.000Z',
    oldest_pending_at: '2026-11-27T09:00:00.000Z',
    oldest_pending_reason: 'retry',
  },
  webhooks: { on: 20, failing: 2, disabled_last_hour: 0 },
  failing_workspaces: [
    { workspace: { id: 'w1', slug: 'acme', name: 'Acme', dialect: 'content' }, attempts: 50, failed: 40 },
  ],
  outbox: null,
  warnings: [],
  to_do: [],
}

it('shows one screen, and at its end that nothing is to be done', () => {
  expect(
    statusScreen(STATUS),
  ).toBe(`node        1 answers, 1.0.0: accepts events; 1 attempt in flight, 4 in memory
            1*  1.0.0, up 3 hours, lease ends in 25 seconds
            2  older release, DEAD: lease ended 1 minute ago
store       PostgreSQL, schema 12, 1.2 GB
disk        50.0 GB of 100.0 GB free (50 %), data directory
clock       trusted
network     open
in and out  12.5 events/s in, 12 deliveries/s out; 13 attempts/s, 1 fail (last 5 minutes)
backlog     5 pending, 2 due, the oldest for 10 seconds; the oldest is 3 hours old and waits: retry
webhooks    20 on, 2 failing, 0 disabled in the last hour
            acme: 40 of 50 attempts failed in the last hour

Nothing to do.
`)
})

it('says what could not be read, and what to do', () => {
  const screen = statusScreen({
    ...STATUS,
    accepts_events: false,
    holds_lease: false,
    store: { ...STATUS.store, bytes: null },
    disk: null,
    nodes: null,
    rates: null,
    queue: null,
    webhooks: null,
    failing_workspaces: null,
    all_egress_closed_since: '2026-11-27T11:58:00.000Z',
    outbox: {
      outbox: 'orders',
      readable: false,
      publishing: true,
      blocked_workspaces: 1,
      pending_events: 7,
      oldest_pending_seconds: 90,
      failed_events: 0,
      stored_bytes: 512,
    },
    to_do: [{ code: 'PosthornTakesNoEvents', text: 'This node accepts no events.' }],
  })
  expect(screen.match(/could not be read/g)).toHaveLength(6)
  expect(screen).toContain('ACCEPTS NO EVENTS, HOLDS NO LEASE')
  expect(screen).toContain('NO NODE SENDS, for 2 minutes')
  expect(screen).toContain(
    'orders: CANNOT BE READ; 7 pending, the oldest 90 seconds old; 1 workspaces blocked',
  )
  expect(screen).toMatch(/\n\nWhat to do:\n- This node accepts no events. \[PosthornTakesNoEvents\]\n$/)
})
