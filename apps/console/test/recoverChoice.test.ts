import { describe, expect, it } from 'vitest'
import { recoverableText, recoverFilter } from '../src/model/recoverChoice.ts'

const NOW = Date.parse('2026-01-02T00:00:00.000Z')
const ALL = ['failed', 'canceled'] as const
const DAY_S = 86_400
const filterOf = (choice: Parameters<typeof recoverFilter>[0]) => recoverFilter(choice, ALL, NOW, 30 * DAY_S)

describe('what is recovered', () => {
  it('is the whole period by default', () => {
    expect(filterOf({ search: { period: '24h' }, statuses: ALL })).toEqual({
      since: '2026-01-01T00:00:00.000Z',
    })
  })
  it('begins with the oldest event kept where no start is chosen', () => {
    expect(filterOf({ search: {}, statuses: ALL })).toEqual({ since: '2025-12-03T00:00:00.000Z' })
  })
  it('has an end, a state and types where they are chosen', () => {
    const search = { from: '2026-01-01T01:00:00.000Z', to: '2026-01-01T02:00:00.000Z', type: 'a.b,c.d' }
    expect(filterOf({ search, statuses: ['canceled'] })).toEqual({
      since: search.from,
      until: search.to,
      status: ['canceled'],
      types: ['a.b', 'c.d'],
    })
  })
  it('is empty without a state, or with an end before the start', () => {
    expect(filterOf({ search: { period: '1h' }, statuses: [] })).toBeNull()
    const search = { from: '2026-01-01T02:00:00.000Z', to: '2026-01-01T02:00:00.000Z' }
    expect(filterOf({ search, statuses: ALL })).toBeNull()
  })
})

it.each([
  [4, ALL, '4 deliveries failed or were canceled.'],
  [1, ALL, '1 delivery failed or was canceled.'],
  [0, ALL, 'No delivery failed or was canceled in this time.'],
  [2, ['failed'], '2 deliveries failed.'],
  [2, ['canceled'], '2 deliveries were canceled.'],
  [2, ['dead'], '2 deliveries are dead.'],
] as const)('%i of %o are counted in words', (count, statuses, text) => {
  expect(recoverableText(count, statuses)).toBe(text)
})
