import { expect, test } from 'vitest'
import { Turns } from '../../../src/core/turns.ts'
import type { Call, CallName } from '../../../src/storage/sqlite/messages.ts'
import { workspaceOf } from '../../../src/storage/workspaceOf.ts'

const publish = (workspaceId: number) => ({ batches: [[{ workspaceId }]] })

const add = (queue: Turns<Call>, call: Call) => queue.add(workspaceOf(call.name, call.params), call)

function drain(calls: readonly [CallName, unknown][]): number[] {
  const queue = new Turns<Call>()
  calls.forEach(([name, params], id) => {
    add(queue, { id, name, params })
  })
  const taken: number[] = []
  for (let call: Call | undefined = queue.next(); call !== undefined; call = queue.next()) taken.push(call.id)
  expect(queue.empty).toBe(true)
  return taken
}

test('workspaces take turns, whatever they call, and calls of one keep their order', () => {
  const calls: [CallName, unknown][] = [
    ['publish', publish(1)],
    ['publish', publish(1)],
    ['listWebhooks', { workspaceId: 1 }],
    ['change', { call: 'publish', params: publish(2) }],
    ['change', { call: 'deleteWebhook', params: { workspaceId: 2 } }],
    ['recordAttempts', { nodeId: 1 }],
    ['publish', { batches: [] }],
    ['check', undefined],
  ]
  expect(drain(calls)).toEqual([0, 3, 5, 1, 4, 6, 2, 7])
})

test('a late call waits for at most one of each other workspace', () => {
  const queue = new Turns<Call>()
  for (let id = 0; id < 100; id++) add(queue, { id, name: 'publish', params: publish(1 + (id % 2)) })
  queue.next()
  add(queue, { id: 500, name: 'publish', params: publish(3) })
  expect([queue.next()!.id, queue.next()!.id, queue.next()!.id]).toEqual([1, 2, 500])
})
