import { expect, test } from 'vitest'
import { Backlogs } from '../../src/engine/schedule/backlogs.ts'

const add = (backlogs: Backlogs, ...ids: readonly number[]) => {
  for (const webhookId of ids) backlogs.add({ webhookId, workspaceId: webhookId % 2 })
}

test('what a claim has caught up with is forgotten, but for what was noted since it began', () => {
  const backlogs = new Backlogs()
  add(backlogs, 1, 2, 3)
  backlogs.claimBegins()
  add(backlogs, 2, 4)
  backlogs.caughtUp((id) => id !== 3)
  expect(backlogs.webhookIds.sort()).toEqual([2, 3, 4])
  expect([0, 1, 2].map((id) => [...backlogs.ofWorkspace(id)].sort())).toEqual([[2, 4], [3], []])
  expect([1, 2].map((id) => backlogs.has(id))).toEqual([false, true])
  backlogs.claimBegins()
  backlogs.caughtUp(() => true)
  expect(backlogs.webhookIds).toEqual([])
})
