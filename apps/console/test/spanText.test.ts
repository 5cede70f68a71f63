import { expect, test } from 'vitest'
import { spanText } from '../src/model/spanText.ts'

test.each([
  [0.3, '0.3 seconds'],
  [1, '1 second'],
  [90, '90 seconds'],
  [3_600, '60 minutes'],
  [5_400, '90 minutes'],
  [12 * 3_600, '12 hours'],
  [86_400, '24 hours'],
  [36 * 3_600, '36 hours'],
  [2.5 * 86_400, '2.5 days'],
  [30 * 86_400, '30 days'],
  [100_000, '27.8 hours'],
])('%d seconds are shown as %s', (seconds, text) => {
  expect(spanText(seconds)).toBe(text)
})
