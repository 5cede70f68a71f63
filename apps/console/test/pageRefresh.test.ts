import { expect, it } from 'vitest'
import { deliveriesEveryMs, stateOfRows, summaryEveryMs } from '../src/model/pageRefresh.ts'

const NOW = Date.parse('2026-01-01T00:00:00.000Z')
const at = (ms: number) => new Date(NOW + ms).toISOString()
const summary = (status: string | null, resets_at: string | null = null) => ({
  retry: status === null ? null : { status },
  manual_sends: { resets_at },
})

it('reads a summary every 5 s, and sooner during a retry or after a manual send', () => {
  expect(summaryEveryMs(undefined, NOW)).toBe(5_000)
  expect(summaryEveryMs({ retry: null, manual_sends: null }, NOW)).toBe(5_000)
  expect(summaryEveryMs(summary('done'), NOW)).toBe(5_000)
  expect(summaryEveryMs(summary('running'), NOW)).toBe(2_000)
  expect(summaryEveryMs(summary(null, at(3_000)), NOW)).toBe(3_200)
  expect(summaryEveryMs(summary(null, at(50_000)), NOW)).toBe(5_000)
  expect(summaryEveryMs(summary(null, at(-50)), NOW)).toBe(1_000)
})

it('reads deliveries sooner while one of them is due', () => {
  expect(deliveriesEveryMs([], NOW)).toBe(5_000)
  expect(deliveriesEveryMs([{ nextAttemptAt: null }, { nextAttemptAt: at(1) }], NOW)).toBe(5_000)
  expect(deliveriesEveryMs([{ nextAttemptAt: null }, { nextAttemptAt: at(0) }], NOW)).toBe(2_000)
  expect(deliveriesEveryMs([{ nextAttemptAt: at(-60_000) }], NOW)).toBe(5_000)
})

it('the state of rows changes with each attempt, each status and each new row', () => {
  const row = (status: 'pending' | 'failed', attempts: number) =>
    ({
      id: 'dlv_1',
      status,
      attempts: Array.from({ length: attempts }, (_, i) => ({ number: i + 1 })),
    }) as never
  const states = [[], [row('pending', 0)], [row('pending', 1)], [row('failed', 1)]].map(stateOfRows)
  expect(new Set(states).size).toBe(4)
  expect(stateOfRows([row('failed', 1)])).toBe(states[3])
})
