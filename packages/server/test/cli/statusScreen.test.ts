import { expect, it } from 'vitest'
import { statusScreen } from '../../src/cli/remote/statusScreen.ts'
import type { StatusJson } from '../../src/http/admin/status/schema.ts'
import { STATUS_OUTBOX, STATUS_WELL, secondsBefore, statusNode } from '../support/statusFacts.ts'

const STATUS: StatusJson = {
  ...STATUS_WELL,
  nodes: [statusNode(1, '1.0.0', true), { ...statusNode(2, null, false), started_at: null }],
  webhooks: { on: 20, failing: 2, disabled_last_hour: 0 },
  failing_workspaces: [
    { workspace: { id: 'w1', slug: 'acme', name: 'Acme', dialect: 'content' }, attempts: 50, failed: 40 },
  ],
  outbox: null,
}

it('shows one screen, and at its end that there is nothing to do', () => {
  expect(
    statusScreen(STATUS),
  ).toBe(`node      1 answers, 1.0.0: accepts events; 1 attempt in flight, 4 in memory
          1*  1.0.0, up 3 hours, lease expires in 25 seconds
          2  older release, DEAD: lease expired 1 minute ago
store     PostgreSQL, schema 12, 1.2 GB
disk      50.0 GB of 100.0 GB free (50 %), data directory
clock     trusted
network   open
rates     12.5 events/s in, 12 deliveries/s out; 13 attempts/s, 1 failed/s (last 5 minutes)
backlog   5 pending, 2 due, the oldest for 10 seconds; the oldest is 3 hours old and waits: retry
webhooks  20 enabled, 2 failing, 0 disabled in the last hour
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
    all_egress_closed_since: secondsBefore(120),
    outbox: {
      ...STATUS_OUTBOX,
      readable: false,
      blocked_workspaces: 1,
      pending_events: 7,
      oldest_pending_seconds: 90,
    },
    to_do: [{ code: 'PosthornTakesNoEvents', text: 'This node accepts no events.' }],
  })
  expect(screen.match(/could not be read/g)).toHaveLength(6)
  expect(screen).toContain('ACCEPTS NO EVENTS, HOLDS NO LEASE')
  expect(screen).toContain('NO NODE HAS SENT for 2 minutes')
  expect(screen).toContain(
    'orders: CANNOT BE READ; 7 pending, the oldest 90 seconds old; 1 blocked workspaces',
  )
  expect(screen).toMatch(/\n\nWhat to do:\n- This node accepts no events. \[PosthornTakesNoEvents\]\n$/)
})

it('sends no control sequence to the terminal', () => {
  const screen = statusScreen({ ...STATUS, version: '1.0\u001b]0;title\u0007\u009b2J' })
  expect(screen).toContain('1.0�]0;title��2J')
})
