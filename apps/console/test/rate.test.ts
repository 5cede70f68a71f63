import { expect, it } from 'vitest'
import { rateText, successRate } from '../src/shared/rate.ts'
import { inWords } from '../src/shared/Sparkline.tsx'

it('says 100% only when nothing failed', () => {
  expect(rateText(successRate({ succeeded: 99_999, failed: 1 })!)).toBe('99.9%')
  expect(rateText(successRate({ succeeded: 3, failed: 0 })!)).toBe('100%')
  expect(rateText(successRate({ succeeded: 29, failed: 71 })!)).toBe('29%')
  expect(successRate({ succeeded: 0, failed: 0 })).toBeNull()
})
it('tells in words what the picture of a day shows', () => {
  const hour = (succeeded: number, failed: number) => ({ at: '2026-01-01T00:00:00.000Z', succeeded, failed })
  expect(inWords([hour(0, 0), hour(0, 0)])).toBe('Last 2 hours: nothing was sent')
  expect(inWords([hour(1_200, 0), hour(5, 2)])).toBe(
    'Last 2 hours: 1,205 attempts succeeded, 2 failed, in 1 hour',
  )
})
