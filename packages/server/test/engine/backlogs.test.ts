import { expect, test } from 'vitest'
import { Backlogs } from '../../src/engine/backlogs.ts'

test('what a claim has caught up with is forgotten, but for what was noted since it began', () => {
  const backlogs = new Backlogs()
  for (const id of [1, 2, 3]) backlogs.add(id)
  backlogs.claimBegins()
  for (const id of [2, 4]) backlogs.add(id)
  backlogs.caughtUp((id) => id !== 3)
  expect(backlogs.webhookIds.sort()).toEqual([2, 3, 4])
  expect([1, 2].map((id) => backlogs.has(id))).toEqual([false, true])
  backlogs.claimBegins()
  backlogs.caughtUp(() => true)
  expect(backlogs.webhookIds).toEqual([])
})
