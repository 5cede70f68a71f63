import { describe, expect, it } from 'vitest'
import { type NodeState, type Overview, type Signs, verdictOf } from '../src/model/health.ts'

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
const NO_DELIVERIES = { delivered: 0, delivered_first_attempt: 0, failed: 0, canceled: 0 }
const overview: Overview = {
  webhooks: { on: 40, failing: 0, disabled_last_hour: 0 },
  last_hour: {
    deliveries: { ...NO_DELIVERIES, delivered: 100, delivered_first_attempt: 100 },
    success_rate: 1,
    attempts: 100,
    failed_attempts: 0,
  },
  pending: 4,
  due: 0,
  oldest_due_at: null,
  oldest_pending: null,
}
const well: Signs = { nodes: [node()], warnings: [], overview }
const counting = (webhooks: Partial<Overview['webhooks']>): Overview => ({
  ...overview,
  webhooks: { ...overview.webhooks, ...webhooks },
})
const of = (more: Partial<Signs>) => verdictOf({ ...well, ...more }, NOW, (at) => at.slice(11, 19))

describe('the verdict on health', () => {
  it('says that all is well when nothing contradicts it', () => {
    expect(of({})).toEqual({
      level: 'good',
      title: 'All is well',
      sentences: ['1 node is running, nothing is overdue, and no attempt in the last hour failed.'],
    })
  })

  it('is a warning while operators have a warning to look into', () => {
    const warning = { code: 'clock_leapt', text: 'The clock leapt 7 days ahead.', since: ago(60_000) }
    expect(of({ warnings: [warning] })).toEqual({
      level: 'warning',
      title: '1 warning',
      sentences: ['See the list below.'],
    })
  })

  it('never says that all is well above failed attempts', () => {
    const last_hour = { ...overview.last_hour, attempts: 103, failed_attempts: 3 }
    expect(of({ overview: { ...overview, last_hour } })).toEqual({
      level: 'good',
      title: 'No webhook is failing now',
      sentences: [
        '1 node is running, nothing is overdue. 3 of 103 attempts in the last hour failed. Since then, every receiver has accepted a request, or its webhook was disabled or paused.',
      ],
    })
  })

  it('ignores deliveries that have only just come due', () => {
    expect(of({ overview: { ...overview, due: 5, oldest_due_at: ago(59_000) } }).level).toBe('good')
  })

  it('says since when deliveries are overdue, and is more severe the longer that lasts', () => {
    const due = (ms: number) => of({ overview: { ...overview, due: 1_200, oldest_due_at: ago(ms) } })
    expect(due(60_000)).toMatchObject({
      level: 'warning',
      title: '1,200 deliveries are due, the oldest since 09:59:00',
    })
    expect(due(300_000).level).toBe('bad')
  })

  it('names the webhooks failing now and their total', () => {
    expect(of({ overview: counting({ failing: 2 }) })).toMatchObject({
      level: 'warning',
      title: '2 of 40 enabled webhooks are failing',
    })
    expect(of({ overview: counting({ on: 1, failing: 1 }) }).title).toBe('1 of 1 enabled webhook is failing')
  })

  it('names webhooks disabled for failures in the last hour', () => {
    expect(of({ overview: counting({ disabled_last_hour: 1 }) }).title).toBe(
      '1 webhook was disabled in the last hour',
    )
    const { title, sentences } = of({ overview: counting({ failing: 1, disabled_last_hour: 3 }) })
    expect(title).toBe('1 of 40 enabled webhooks is failing')
    expect(sentences[1]).toMatch(/^3 webhooks were disabled in the last hour\. /)
  })

  it('is an error when no node is running, and a warning when one is missing', () => {
    expect(of({ nodes: [node({ alive: false })] })).toMatchObject({
      level: 'bad',
      title: 'No node is running',
    })
    expect(of({ nodes: [node(), node({ id: 2, alive: false })] })).toMatchObject({
      level: 'warning',
      title: '1 node stopped unexpectedly',
    })
  })

  it('blames the service when most of enough deliveries failed, not counting canceled ones', () => {
    const hour = (delivered: number, failed: number, canceled = 0) => ({
      ...overview.last_hour,
      deliveries: { ...NO_DELIVERIES, delivered, failed, canceled },
      success_rate: delivered / (delivered + failed + canceled),
    })
    expect(of({ overview: { ...overview, last_hour: hour(20, 30) } })).toMatchObject({
      level: 'bad',
      title: 'Most deliveries of the last hour failed',
    })
    expect(of({ overview: { ...overview, last_hour: hour(10, 30) } }).level).toBe('good')
    expect(of({ overview: { ...overview, last_hour: hour(100, 0, 100_000) } }).level).toBe('good')
  })

  it('lists the worst first', () => {
    const { level, title, sentences } = of({
      overview: { ...counting({ failing: 1 }), due: 1, oldest_due_at: ago(600_000) },
    })
    expect([level, title]).toEqual(['bad', '1 delivery has been due since 09:50:00'])
    expect(sentences[1]).toMatch(/^1 of 40 enabled webhooks is failing\. /)
  })
})
