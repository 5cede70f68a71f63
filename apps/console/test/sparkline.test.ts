import { expect, it } from 'vitest'
import { inWords } from '../src/shared/Sparkline.tsx'

it('tells in words what the picture of a day shows', () => {
  const hour = (succeeded: number, failed: number) => ({ at: '2026-01-01T00:00:00.000Z', succeeded, failed })
  expect(inWords([hour(0, 0), hour(0, 0)])).toBe('Last 2 hours: nothing was sent')
  expect(inWords([hour(1_200, 0), hour(5, 2)])).toBe(
    'Last 2 hours: 1,205 attempts succeeded, 2 failed, in 1 hour',
  )
})
