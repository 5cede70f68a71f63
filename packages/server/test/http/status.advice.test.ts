import { readFileSync } from 'node:fs'
import { expect, it, test } from 'vitest'
import { adviceOf } from '../../src/http/admin/status/advice.ts'

type Facts = Parameters<typeof adviceOf>[0]

const AT = '2026-11-27T12:00:00.000Z'
const before = (seconds: number) => new Date(Date.parse(AT) - 1000 * seconds).toISOString()

const node = (id: number, version: string | null, alive: boolean) => ({
  id,
  version,
  alive,
  answering: id === 1,
  started_at: before(9000),
  lease_expires_at: alive ? AT : before(60),
})
const OUTBOX = {
  outbox: 'orders',
  readable: true,
  publishing: true,
  blocked_workspaces: 0,
  pending_events: 3,
  oldest_pending_seconds: 1,
  failed_events: 0,
  stored_bytes: 100,
}
const WELL: Facts = {
  at: AT,
  version: '1.0.0',
  node_id: 1,
  accepts_events: true,
  holds_lease: true,
  egress_closed_since: null,
  all_egress_closed_since: null,
  in_flight: 3,
  in_memory: 0,
  store: { kind: 'postgresql', schema_version: 12, bytes: 1e9 },
  disk: { free_bytes: 50e9, size_bytes: 100e9 },
  clock: { steady: true, ahead_of_machine_seconds: 0.01 },
  nodes: [node(1, '1.0.0', true), node(2, '1.0.0', true)],
  rates: { events: 10, attempts: 10, failed_attempts: 1, delivered: 9 },
  queue: {
    pending: 5,
    due: 1,
    oldest_due_at: before(2),
    oldest_pending_at: before(90_000),
    oldest_pending_reason: 'retry',
  },
  // Customers' dead receivers are their affair.
  webhooks: { on: 100, failing: 4, disabled_last_hour: 1 },
  failing_workspaces: [],
  outbox: OUTBOX,
  warnings: [],
}

const codes = (facts: Partial<Facts>) => adviceOf({ ...WELL, ...facts }).map(({ code }) => code)

it('is none when all is well but for a few receivers', () => {
  expect(codes({})).toEqual([])
  expect(codes({ outbox: null, nodes: [node(1, null, true)], disk: null })).toEqual([])
})

test.each<[string, Partial<Facts>, string[]]>([
  [
    'the store is away',
    { accepts_events: false, holds_lease: false, nodes: null, queue: null },
    ['PosthornTakesNoEvents'],
  ],
  ['the lease is lost', { holds_lease: false }, ['PosthornNodeNotReady']],
  ['the store is slow', { rates: null, queue: null }, ['NotRead']],
  ['the disk is nearly full', { disk: { free_bytes: 9e9, size_bytes: 100e9 } }, ['PosthornDiskAlmostFull']],
  ['the disk is full', { disk: { free_bytes: 0, size_bytes: 100e9 } }, ['PosthornDiskFull']],
  [
    'no node sends',
    { egress_closed_since: before(60), all_egress_closed_since: before(50) },
    ['PosthornEgressClosed'],
  ],
  ['this node does not send', { egress_closed_since: before(60) }, ['PosthornNodeEgressClosed']],
  [
    'deliveries are overdue',
    { queue: { ...WELL.queue!, oldest_due_at: before(301) } },
    ['PosthornDeliveriesOverdue'],
  ],
  [
    'deliveries are overdue since nothing can be sent',
    {
      queue: { ...WELL.queue!, oldest_due_at: before(301) },
      egress_closed_since: before(400),
      all_egress_closed_since: before(400),
    },
    ['PosthornEgressClosed'],
  ],
  ['a node died', { nodes: [node(1, '1.0.0', true), node(2, '1.0.0', false)] }, ['PosthornNodeDown']],
  ['releases differ', { nodes: [node(1, '1.0.0', true), node(2, null, true)] }, ['PosthornVersionsDiffer']],
  ['clocks differ', { clock: { steady: true, ahead_of_machine_seconds: -45 } }, ['PosthornClockDiffers']],
  [
    'many webhooks fail',
    { webhooks: { on: 20, failing: 5, disabled_last_hour: 0 } },
    ['PosthornManyWebhooksFailing'],
  ],
  ['an outbox cannot be read', { outbox: { ...OUTBOX, readable: false } }, ['PosthornOutboxUnreadable']],
  ['a relay has not looked yet', { outbox: { ...OUTBOX, readable: null } }, []],
  [
    'an outbox cannot be published',
    { outbox: { ...OUTBOX, publishing: false } },
    ['PosthornOutboxNotPublishing'],
  ],
  ['a workspace is blocked', { outbox: { ...OUTBOX, blocked_workspaces: 1 } }, ['PosthornOutboxBlocked']],
  ['events were rejected', { outbox: { ...OUTBOX, failed_events: 1 } }, ['PosthornOutboxFailed']],
  [
    'there are warnings',
    {
      warnings: ['key_file_open', 'sending_held'].map((code) => ({
        code,
        text: 'Run: chmod 600',
        since: AT,
      })),
    },
    ['key_file_open'],
  ],
])('when %s', (_, facts, expected) => {
  expect(codes(facts)).toEqual(expected)
})

it('has the names of alerts, which the runbook explains', () => {
  const runbook = readFileSync(new URL('../../../../docs/operations/runbook.md', import.meta.url), 'utf8')
  const source = readFileSync(new URL('../../src/http/admin/status/advice.ts', import.meta.url), 'utf8')
  const named = [...source.matchAll(/'(Posthorn\w+)'/g)].map(([, name]) => name)
  expect(named.length).toBeGreaterThan(10)
  for (const name of named) expect(runbook).toContain(`### ${name}\n`)
})
