import { expect, it } from 'vitest'
import { BlockedWorkspaces } from '../../src/outbox/blocked.ts'
import { MOST_BLOCKED } from '../../src/outbox/limits.ts'
import { ManualClock } from '../support/manualClock.ts'

it('tries a workspace again after a second, and each time in a row later', () => {
  const clock = new ManualClock()
  const blocked = new BlockedWorkspaces(clock)
  blocked.block('acme', 'no key', null)
  const dueAfter: number[] = []
  for (let elapsed = 0; dueAfter.length < 3; elapsed += 100) {
    if (blocked.due().length > 0) {
      dueAfter.push(elapsed)
      blocked.block('acme', 'no key', null)
    }
    clock.stall(100)
  }
  expect(dueAfter).toEqual([1_000, 3_000, 7_000])
})

it('tries one that made progress at once', () => {
  const blocked = new BlockedWorkspaces(new ManualClock())
  blocked.block('acme', 'quota', 30_000)
  expect(blocked.due()).toEqual([])
  blocked.resetBackoff('acme')
  expect(blocked.due()).toEqual(['acme'])
  expect(blocked.due()).toEqual(['acme'])
})

it('tries many together at most a hundred times a second, and reports when there are too many', () => {
  const clock = new ManualClock()
  const blocked = new BlockedWorkspaces(clock)
  for (let n = 0; n < MOST_BLOCKED; n++) {
    expect(blocked.isFull).toBe(false)
    blocked.markWaiting(`w${n}`)
  }
  expect(blocked.isFull).toBe(true)
  let tries = 0
  for (let second = 0; second < 120; second++) {
    for (const workspace of blocked.due()) {
      tries += 1
      blocked.block(workspace, 'no key', null)
    }
    clock.stall(1_000)
  }
  expect(tries).toBeGreaterThan(MOST_BLOCKED)
  expect(tries).toBeLessThanOrEqual(12_100)
  blocked.unblock('w0')
  expect(blocked.isFull).toBe(false)
})
