import { describe, expect, it } from 'vitest'
import { recoveryColor, recoveryText } from '../src/model/recoveryWords.ts'
import type { Recovery } from '../src/model/service.ts'

function recovery(given: Partial<Recovery>): Recovery {
  return {
    id: 'rec_1',
    status: 'done',
    total: 24,
    done: 24,
    delivered: 24,
    failed: 0,
    missed: { count: 0, hasMore: false },
    since: '2026-01-01T00:00:00.000Z',
    until: '2026-01-02T00:00:00.000Z',
    createdAt: '2026-01-02T00:00:00.000Z',
    ...given,
  }
}

describe('a recovery', () => {
  it.each([
    [{}, 'Recovered 24 deliveries: 24 delivered.', 'green'],
    [{ delivered: 20, failed: 4 }, 'Sent 24 deliveries again: 20 delivered, 4 failed again.', 'yellow'],
    [{ delivered: 0, failed: 24 }, 'Sent 24 deliveries again: 0 delivered, 24 failed again.', 'red'],
    [
      { status: 'running', done: 3, delivered: 2, failed: 1 },
      'Recovering 24 deliveries: 2 delivered, 1 failed again so far.',
      'horn',
    ],
    [
      { status: 'canceled', done: 3, delivered: 3 },
      'Recovery canceled after 3 deliveries. Deliveries that are already pending are still sent.',
      'horn',
    ],
  ] as const)('%o has a text and a color', (given, text, color) => {
    expect(recoveryText(recovery(given))).toBe(text)
    expect(recoveryColor(recovery(given))).toBe(color)
  })
})
