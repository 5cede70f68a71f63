import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { LoopTurns } from '../../../src/http/shared/bodies/turns.ts'

function setUp() {
  const clock = { now: 0, monotonic: () => clock.now }
  const turns = new LoopTurns(clock)
  const order: string[] = []
  const wait = (group: string, name: string) => turns.next(group).then(() => order.push(name))
  /** Work that takes this many milliseconds. */
  const run = (group: string, name: string, ms: number) =>
    turns.run(group, () => {
      order.push(name)
      clock.now += ms
    })
  return { turns, order, wait, run }
}

it('slices go to groups in turn, one in each turn of the event loop', async () => {
  const { turns, order, wait } = setUp()
  const all = [wait('a', 'a1'), wait('a', 'a2'), wait('a', 'a3'), wait('b', 'b1'), wait('c', 'c1')]
  await turns.next('c')
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2'])
  await Promise.all(all)
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
})

it('short work of groups goes in turn, as much in one turn of the event loop as fits into 2 ms', async () => {
  const { order, run } = setUp()
  for (const name of ['a1', 'a2', 'a3', 'a4']) run('a', name, 1)
  run('b', 'b1', 1)
  expect(order).toEqual([])
  await nextTurn()
  expect(order).toEqual(['a1', 'b1'])
  await nextTurn()
  expect(order).toEqual(['a1', 'b1', 'a2', 'a3'])
  await nextTurn()
  expect(order).toEqual(['a1', 'b1', 'a2', 'a3', 'a4'])
})

it('nothing more starts in a turn of the event loop after a slice', async () => {
  const { order, wait, run } = setUp()
  run('a', 'a1', 0)
  const slice = wait('b', 'b1')
  run('c', 'c1', 0)
  await slice
  expect(order).toEqual(['a1', 'b1'])
  await nextTurn()
  expect(order).toEqual(['a1', 'b1', 'c1'])
})

it('a slice starts a turn of the event loop, so that short work before it adds nothing to its 2 ms', async () => {
  const { order, wait, run } = setUp()
  run('a', 'a1', 1.9)
  void wait('b', 'b1')
  run('c', 'c1', 1)
  await nextTurn()
  expect(order).toEqual(['a1'])
  await nextTurn()
  expect(order).toEqual(['a1', 'b1'])
  await nextTurn()
  expect(order).toEqual(['a1', 'b1', 'c1'])
})

it('slices and constant short work take turns', async () => {
  const { order, wait, run } = setUp()
  for (const group of ['a', 'b']) for (let i = 0; i < 20; i++) run(group, group, 0.1)
  void wait('c', 'c1')
  void wait('c', 'c2')
  for (let i = 0; i < 4; i++) await nextTurn()
  expect(order).toEqual(['a', 'b', 'c1', 'a', 'b', 'c2'])
})
