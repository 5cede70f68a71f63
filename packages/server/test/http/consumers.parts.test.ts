import { describe, expect, test } from 'vitest'
import { ConsumerReaders, type Reader } from '../../src/http/shared/consumers/readers.ts'
import { Problem } from '../../src/http/shared/problems.ts'
import { ManualClock } from '../support/manualClock.ts'

const LOG = { info() {}, warn() {}, error() {} }

function open(maxOfWorkspace = 1_000) {
  const clock = new ManualClock()
  let count = 0
  const observer = {
    reader: (_: string, change: number) => {
      count += change
    },
    handedOut() {},
    acknowledged() {},
  }
  const storage = { lookAhead: async () => ({ types: [], next: [0], more: false }) }
  const readers = new ConsumerReaders({
    storage,
    clock,
    logger: LOG,
    observer,
    maxOfWorkspace: () => maxOfWorkspace,
  })
  return { clock, readers, count: () => count }
}

const reader = (workspaceId: number, more: Partial<Reader> = {}): Reader => ({
  kind: 'stream',
  workspaceId,
  consumerId: 1,
  end() {},
  ...more,
})

/** @returns the error */
function refusal(work: () => void): Problem | null {
  try {
    work()
    return null
  } catch (error) {
    return error as Problem
  }
}

describe('the readers of a node', () => {
  test('are a thousand at most, whatever the workspaces have, and one that leaves makes room', () => {
    const { readers, count } = open(400)
    const leave = Array.from({ length: 1_000 }, (_, at) => readers.enter(reader(at % 5)))
    const refused = refusal(() => readers.enter(reader(9)))
    expect(refused).toBeInstanceOf(Problem)
    expect(refused).toMatchObject({ code: 'readers_taken' })
    expect(refused!.message).toMatch(/1000 streams and waiting requests.*Retry in 5 seconds, or read without/)
    leave[7]!()
    leave[7]!()
    expect([count(), refusal(() => readers.enter(reader(9)))]).toEqual([999, null])
  })

  test('of one workspace leave slots to the others', () => {
    const { readers } = open(100)
    for (let at = 0; at < 100; at++) readers.enter(reader(1))
    expect(refusal(() => readers.enter(reader(1)))).toMatchObject({ code: 'too_many_readers' })
    expect(refusal(() => readers.enter(reader(2)))).toBeNull()
  })

  test('are checked every five seconds, a part of them each second', () => {
    const { readers, clock } = open()
    const checked = Array.from({ length: 10 }, () => 0)
    for (const at of checked.keys()) {
      const check = async () => {
        checked[at]! += 1
      }
      readers.enter(reader(1, { check }))
    }
    const perSecond = Array.from({ length: 10 }, () => {
      const before = checked.reduce((sum, times) => sum + times, 0)
      clock.advance(1_000)
      return checked.reduce((sum, times) => sum + times, 0) - before
    })
    expect(perSecond).toEqual(Array.from({ length: 10 }, () => 2))
    expect(checked).toEqual(Array.from({ length: 10 }, () => 2))
    readers.checkAll()
    expect(checked).toEqual(Array.from({ length: 10 }, () => 3))
  })
})
