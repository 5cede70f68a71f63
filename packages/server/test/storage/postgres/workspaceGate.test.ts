import { expect, test } from 'vitest'
import { WorkspaceGate } from '../../../src/storage/postgres/workspaceGate.ts'
import { StoreUnavailableError } from '../../../src/storage/storage.ts'
import { openCalls, settled } from '../../engine/fakes.ts'
import { ManualClock } from '../../support/manualClock.ts'

function setUp(most = 2) {
  const clock = new ManualClock()
  const { calls, call } = openCalls<number, number>()
  const gate = new WorkspaceGate({ most, patienceMs: 6000, clock })
  const run = (workspaceId: number) => gate.run(workspaceId, () => call(workspaceId))
  const running = () => calls.map(({ params }) => params)
  return { clock, calls, run, running }
}

test('a limited number of calls of a workspace runs at a time, and those of others run concurrently', async () => {
  const { calls, run, running } = setUp()
  const mine = [run(1), run(1), run(1), run(1)]
  const other = run(2)
  expect(running()).toEqual([1, 1, 2])
  calls[0]!.resolve(10)
  expect(await mine[0]).toBe(10)
  calls[1]!.reject(new Error('went wrong'))
  await expect(mine[1]).rejects.toThrow('went wrong')
  await settled()
  expect(running()).toEqual([1, 1, 2, 1, 1])
  for (const { resolve } of calls.slice(2)) resolve(11)
  expect(await Promise.all([mine[2], mine[3], other])).toEqual([11, 11, 11])
  void run(1)
  void run(1)
  void run(1)
  expect(running()).toHaveLength(7)
})

test('calls without a workspace do not count', () => {
  const { run, running } = setUp()
  for (let i = 0; i < 9; i++) void run(0)
  expect(running()).toHaveLength(9)
})

test('a call that waits too long is rejected, and later ones keep their places', async () => {
  const { clock, calls, run, running } = setUp(1)
  void run(1)
  const late = run(1)
  clock.advance(3000)
  const behind = run(1)
  clock.advance(3000)
  await expect(late).rejects.toThrow(StoreUnavailableError)
  calls[0]!.resolve(1)
  await settled()
  expect(running()).toEqual([1, 1])
  calls[1]!.resolve(7)
  expect(await behind).toBe(7)
  expect(clock.pending).toBe(0)
})
