import { describe, expect, it } from 'vitest'
import { type FailingWebhook, type NodeState, type Signs, verdictOf } from '../src/model/health.ts'
import type { WebhookState } from '../src/model/webhook.ts'

const NOW = Date.parse('2026-03-04T10:00:00.000Z')
const ago = (ms: number) => new Date(NOW - ms).toISOString()

const node = (more: Partial<NodeState> = {}): NodeState => ({
  id: 1,
  answering: true,
  alive: true,
  started_at: ago(1_000),
  lease_expires_at: ago(-1_000),
  ...more,
})
const failing = (ms: number): WebhookState => ({ kind: 'failing', since: ago(ms) })
const webhook = (attempts: number, failed: number, more: Partial<FailingWebhook> = {}): FailingWebhook => ({
  workspace: { id: 'ws_1', slug: 'acme', name: 'Acme', dialect: 'content' },
  webhook_id: 'wh_1',
  url: 'https://example.com',
  description: '',
  state: failed === 0 ? { kind: 'on' } : failing(60_000),
  attempts,
  failed,
  success_rate: attempts === 0 ? null : (attempts - failed) / attempts,
  last_error: null,
  ...more,
})
const well: Signs = {
  nodes: [node()],
  queue: { pending: 4, due: 0, limited: 0, oldest_due_at: null },
  warnings: [],
  failing: [],
  moreFailing: false,
  totals: {
    events: 100,
    attempts: { delivered: 100 },
    success_rate: 1,
    response_ms: null,
    delivery_ms: null,
  },
}
const of = (more: Partial<Signs>) => verdictOf({ ...well, ...more }, NOW, (at) => at.slice(11, 19))

describe('the verdict on health', () => {
  it('is that all is well when nothing says otherwise', () => {
    expect(of({})).toEqual({
      level: 'good',
      title: 'All is well',
      sentences: ['1 node is at work, nothing is overdue, and receivers take what they are sent.'],
    })
  })

  it('is a warning as long as operators have one to look after', () => {
    const warning = { code: 'clock_leapt', text: 'The clock leapt 7 days ahead.', since: ago(60_000) }
    expect(of({ warnings: [warning] })).toEqual({
      level: 'warning',
      title: '1 warning',
      sentences: ['See the list below.'],
    })
  })

  it('minds neither what is due just now nor a receiver that refused once', () => {
    const queue = { pending: 9, due: 5, limited: 0, oldest_due_at: ago(59_000) }
    expect(of({ queue, failing: [webhook(2, 2), webhook(10, 5, { state: failing(59_000) })] }).level).toBe(
      'good',
    )
  })

  it('minds no backlog that waits for limits', () => {
    const queue = { pending: 90_000, due: 0, limited: 90_000, oldest_due_at: null }
    expect(of({ queue }).level).toBe('good')
  })

  it('says since when deliveries are due, and is graver the longer', () => {
    const due = (ms: number) => of({ queue: { pending: 9, due: 1_200, limited: 0, oldest_due_at: ago(ms) } })
    expect(due(60_000)).toMatchObject({
      level: 'warning',
      title: '1,200 deliveries are due since 09:59:00 or later',
    })
    expect(due(300_000).level).toBe('bad')
  })

  it('counts webhooks whose receivers go on refusing', () => {
    expect(of({ failing: [webhook(3, 2), webhook(40, 3), webhook(8, 8)] })).toMatchObject({
      level: 'warning',
      title: '2 webhooks fail',
    })
    expect(of({ failing: [webhook(8, 8)], moreFailing: true }).title).toBe('At least 1 webhook fails')
  })

  it('counts no webhook whose receiver took the latest, nor one that is paused', () => {
    const failing = [webhook(9, 8, { state: { kind: 'on' } }), webhook(9, 8, { state: { kind: 'paused' } })]
    expect(of({ failing }).level).toBe('good')
    expect(of({ failing: [...failing, webhook(9, 8)] }).title).toBe('1 webhook fails')
  })

  it('counts a webhook that was switched off after a single refusal', () => {
    const state: WebhookState = { kind: 'off', reason: null }
    expect(of({ failing: [webhook(1, 1, { state })] }).title).toBe('1 webhook fails')
    expect(of({ failing: [webhook(2, 1, { state })] }).level).toBe('good')
  })

  it('is bad when no node is at work, and warns of one that is gone', () => {
    expect(of({ nodes: [node({ alive: false })] })).toMatchObject({
      level: 'bad',
      title: 'No node is at work',
    })
    expect(of({ nodes: [node(), node({ id: 2, alive: false })] })).toMatchObject({
      level: 'warning',
      title: '1 node stopped without saying so',
    })
  })

  it('suspects itself when most of enough attempts failed', () => {
    const totals = { ...well.totals, attempts: { delivered: 20, timeout: 30 }, success_rate: 0.4 }
    expect(of({ totals })).toMatchObject({ level: 'bad', title: 'Most attempts of the last hour failed' })
    const few = { ...totals, attempts: { delivered: 10, timeout: 30 }, success_rate: 0.25 }
    expect(of({ totals: few }).level).toBe('good')
  })

  it('tells the worst first, and the rest after it', () => {
    const queue = { pending: 9, due: 1, limited: 0, oldest_due_at: ago(600_000) }
    const { level, title, sentences } = of({ queue, failing: [webhook(5, 5)] })
    expect([level, title]).toEqual(['bad', '1 delivery is due since 09:50:00 or later'])
    expect(sentences[1]).toMatch(/^1 webhook fails\. /)
  })
})
