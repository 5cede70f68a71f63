import { expect, it } from 'vitest'
import { sentAgain } from '../../src/cli/restore.ts'
import { countOf } from '../../src/cli/words.ts'

it.each([
  [0, '0 events'],
  [1, '1 event'],
  [2_000, '2,000 events'],
])('%i of a thing are %j in words', (count, words) => {
  expect(countOf(count, 'event')).toBe(words)
})

it.each([
  [1, /^Its 1 pending delivery is sent again under its old id, /],
  [2, /^Its 2 pending deliveries are sent again under their old ids, /],
])('a restore with %i pending uses the right number', (pending, words) => {
  expect(sentAgain(pending)).toMatch(words)
})
