import { readFileSync } from 'node:fs'
import { expect, it, test } from 'vitest'
import { adviceOf } from '../../src/http/admin/status/advice.ts'
import { STATUS_AT, STATUS_OUTBOX, STATUS_WELL, secondsBefore, statusNode } from '../support/statusFacts.ts'

type Facts = Parameters<typeof adviceOf>[0]

const codes = (facts: Partial<Facts>) => adviceOf({ ...STATUS_WELL, ...facts }).map(({ code }) => code)

it('is empty when all is well except for a few receivers', () => {
  expect(codes({})).toEqual([])
  expect(codes({ outbox: null, nodes: [statusNode(1, null, true)], disk: null })).toEqual([])
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
    { egress_closed_since: secondsBefore(60), all_egress_closed_since: secondsBefore(50) },
    ['PosthornEgressClosed'],
  ],
  ['this node does not send', { egress_closed_since: secondsBefore(60) }, ['PosthornNodeEgressClosed']],
  [
    'deliveries are overdue',
    { queue: { ...STATUS_WELL.queue!, oldest_due_at: secondsBefore(901) } },
    ['PosthornDeliveriesOverdue'],
  ],
  [
    'deliveries are overdue since nothing can be sent',
    {
      queue: { ...STATUS_WELL.queue!, oldest_due_at: secondsBefore(901) },
      egress_closed_since: secondsBefore(1000),
      all_egress_closed_since: secondsBefore(1000),
    },
    ['PosthornEgressClosed'],
  ],
  [
    'a node died',
    { nodes: [statusNode(1, '1.0.0', true), statusNode(2, '1.0.0', false)] },
    ['PosthornNodeDown'],
  ],
  [
    'releases differ',
    { nodes: [statusNode(1, '1.0.0', true), statusNode(2, null, true)] },
    ['PosthornVersionsDiffer'],
  ],
  ['clocks differ', { clock: { steady: true, ahead_of_machine_seconds: -45 } }, ['PosthornClockDiffers']],
  [
    'many webhooks fail',
    { webhooks: { on: 20, failing: 5, disabled_last_hour: 0 } },
    ['PosthornManyWebhooksFailing'],
  ],
  [
    'an outbox cannot be read',
    { outbox: { ...STATUS_OUTBOX, readable: false } },
    ['PosthornOutboxUnreadable'],
  ],
  ['a relay has not looked yet', { outbox: { ...STATUS_OUTBOX, readable: null } }, []],
  [
    'an outbox cannot be published',
    { outbox: { ...STATUS_OUTBOX, publishing: false } },
    ['PosthornOutboxNotPublishing'],
  ],
  [
    'a workspace is blocked',
    { outbox: { ...STATUS_OUTBOX, blocked_workspaces: 1 } },
    ['PosthornOutboxBlocked'],
  ],
  ['events were rejected', { outbox: { ...STATUS_OUTBOX, failed_events: 1 } }, ['PosthornOutboxFailed']],
  [
    'there are warnings',
    {
      warnings: ['key_file_open', 'sending_held'].map((code) => ({
        code,
        text: 'Run: chmod 600',
        since: STATUS_AT,
      })),
    },
    ['key_file_open'],
  ],
])('when %s', (_, facts, expected) => {
  expect(codes(facts)).toEqual(expected)
})

const ALERTS = readFileSync(new URL('../../../../ops/alerts.yaml', import.meta.url), 'utf8')

/** The number at this place of an alert's expression. */
function limitOf(alert: string, place = 0): number {
  const rule = ALERTS.split('- alert: ').find((text) => text.startsWith(`${alert}\n`))!
  const expression = rule.slice(rule.indexOf('expr:'), rule.search(/\n +(for|labels):/))
  return Number([...expression.matchAll(/(?:>=?|<) ([\d.]+)/g)][place]![1])
}

const diskWith = (free: number): Partial<Facts> => ({ disk: { free_bytes: free, size_bytes: 1 } })
const dueFor = (seconds: number): Partial<Facts> => ({
  queue: { ...STATUS_WELL.queue!, oldest_due_at: secondsBefore(seconds) },
})
const aheadBy = (seconds: number): Partial<Facts> => ({
  clock: { steady: true, ahead_of_machine_seconds: seconds },
})
const failingOf = (failing: number, on: number): Partial<Facts> => ({
  webhooks: { on, failing, disabled_last_hour: 0 },
})
const atLeast = limitOf('PosthornManyWebhooksFailing')
const share = limitOf('PosthornManyWebhooksFailing', 1)

test.each<[string, Partial<Facts>, Partial<Facts>]>([
  [
    'PosthornDeliveriesOverdue',
    dueFor(limitOf('PosthornDeliveriesOverdue')),
    dueFor(limitOf('PosthornDeliveriesOverdue') + 1),
  ],
  [
    'PosthornDiskAlmostFull',
    diskWith(limitOf('PosthornDiskAlmostFull')),
    diskWith(limitOf('PosthornDiskAlmostFull') - 0.001),
  ],
  ['PosthornDiskFull', diskWith(limitOf('PosthornDiskFull')), diskWith(limitOf('PosthornDiskFull') - 0.001)],
  [
    'PosthornClockDiffers',
    aheadBy(limitOf('PosthornClockDiffers')),
    aheadBy(limitOf('PosthornClockDiffers') + 1),
  ],
  ['PosthornManyWebhooksFailing', failingOf(atLeast - 1, 1), failingOf(atLeast, 1)],
  ['PosthornManyWebhooksFailing', failingOf(10, 10 / share), failingOf(10, 10 / share - 1)],
])('%s begins at the limit of the alert', (code, within, beyond) => {
  expect(codes(within)).not.toContain(code)
  expect(codes(beyond)).toContain(code)
})

it('has the names of alerts, which the runbook explains', () => {
  const runbook = readFileSync(new URL('../../../../docs/operations/runbook.md', import.meta.url), 'utf8')
  const source = readFileSync(new URL('../../src/http/admin/status/advice.ts', import.meta.url), 'utf8')
  const named = [...source.matchAll(/'(Posthorn\w+)'/g)].map(([, name]) => name)
  expect(named.length).toBeGreaterThan(10)
  for (const name of named) expect(runbook).toContain(`### ${name}\n`)
})
