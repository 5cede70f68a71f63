import { expect, test } from 'vitest'
import { eachOnTwoNodes, w } from './eachOnTwoNodes.ts'

eachOnTwoNodes()

test('the first part of the queue returns the oldest due delivery of all webhooks', async () => {
  const [one, other] = [await w.workspace(), await w.workspace()]
  await w.webhook(one)
  await w.webhook(other)
  const nodeId = await w.node()
  const dueAt = w.now
  await w.waiting(nodeId, other)
  w.now += 1000
  for (let i = 0; i < 3; i++) await w.waiting(nodeId, one, 700)
  const first = await w.storage.readQueue({ now: dueAt + 1 })
  expect(first).toMatchObject({ pending: 2000, due: 0, oldestDueAt: dueAt })
})
