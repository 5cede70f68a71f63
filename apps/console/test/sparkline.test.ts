import { expect, it } from 'vitest'
import { inWords } from '../src/shared/Sparkline.tsx'

it('describes the chart of a day in words', () => {
  const hour = (delivered: number, undelivered: number) => ({
    at: '2026-01-01T00:00:00.000Z',
    delivered,
    undelivered,
  })
  expect(inWords([hour(0, 0), hour(0, 0)])).toBe('Last 2 hours: no delivery finished')
  expect(inWords([hour(1_200, 0), hour(5, 2)])).toBe('Last 2 hours: 1,205 delivered, 2 not, in 1 hour')
})
