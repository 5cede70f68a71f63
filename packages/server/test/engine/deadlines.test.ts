import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DeadlineQueue } from '../../src/engine/attempt/deadlines.ts'
import { ManualClock } from '../support/manualClock.ts'

describe('DeadlineQueue', () => {
  test('fires each deadline at its own time, in the order they were set', () => {
    const clock = new ManualClock()
    const queue = new DeadlineQueue(clock, 100)
    const fired: string[] = []
    queue.set(() => fired.push(`a ${clock.monotonic()}`))
    queue.set(() => fired.push(`b ${clock.monotonic()}`))
    clock.advance(30)
    queue.set(() => fired.push(`c ${clock.monotonic()}`))
    clock.advance(69)
    expect(fired).toEqual([])
    clock.advance(1000)
    expect(fired).toEqual(['a 100', 'b 100', 'c 130'])
  })

  test('a canceled deadline never fires, and canceling twice or after the end is allowed', () => {
    const clock = new ManualClock()
    const queue = new DeadlineQueue(clock, 100)
    const fired: string[] = []
    const first = queue.set(() => fired.push('first'))
    const second = queue.set(() => fired.push('second'))
    first.cancel()
    first.cancel()
    clock.advance(100)
    second.cancel()
    expect(fired).toEqual(['second'])
  })

  test('a deadline may set and cancel others as it fires', () => {
    const clock = new ManualClock()
    const queue = new DeadlineQueue(clock, 100)
    const fired: string[] = []
    queue.set(() => {
      second.cancel()
      queue.set(() => fired.push(`late ${clock.monotonic()}`))
    })
    const second = queue.set(() => fired.push('second'))
    clock.advance(200)
    expect(fired).toEqual(['late 200'])
  })

  test('a deadline that sets another does not delay those between them', () => {
    const clock = new ManualClock()
    const queue = new DeadlineQueue(clock, 100)
    const fired: string[] = []
    queue.set(() => queue.set(() => fired.push(`late ${clock.monotonic()}`)))
    clock.advance(50)
    queue.set(() => fired.push(`between ${clock.monotonic()}`))
    clock.advance(50)
    expect(clock.pending).toBe(1)
    clock.advance(100)
    expect(fired).toEqual(['between 150', 'late 200'])
  })

  test('a deadline that throws does not prevent the others', () => {
    const clock = new ManualClock()
    const queue = new DeadlineQueue(clock, 100)
    const fired: string[] = []
    queue.set(() => {
      throw new Error('broken')
    })
    queue.set(() => fired.push('next'))
    expect(() => clock.advance(100)).toThrow('broken')
    clock.advance(1)
    expect(fired).toEqual(['next'])
  })

  test('keeps one timer for any number of deadlines, and none once they are over', () => {
    const clock = new ManualClock()
    const queue = new DeadlineQueue(clock, 100)
    const deadlines = Array.from({ length: 50 }, () => queue.set(() => {}))
    expect(clock.pending).toBe(1)
    for (const deadline of deadlines) deadline.cancel()
    clock.advance(100)
    expect(clock.pending).toBe(0)
    queue.set(() => {})
    expect(clock.nextIn).toBe(100)
    clock.advance(100)
    expect(clock.pending).toBe(0)
  })

  test('fires exactly the uncanceled deadlines, exactly on time, under any sequence', () => {
    const step = fc.record({
      do: fc.constantFrom('set', 'set', 'cancel', 'advance'),
      value: fc.nat({ max: 60 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const clock = new ManualClock()
        const queue = new DeadlineQueue(clock, 100)
        const open = new Map<number, { at: number; cancel: () => void }>()
        let nextId = 0
        for (const { do: name, value } of steps) {
          if (name === 'set') {
            const id = nextId++
            const deadline = queue.set(() => {
              expect(clock.monotonic()).toBe(open.get(id)!.at)
              open.delete(id)
            })
            open.set(id, { at: clock.monotonic() + 100, cancel: () => deadline.cancel() })
          } else if (name === 'cancel') {
            const id = [...open.keys()][value % Math.max(1, open.size)]
            open.get(id ?? -1)?.cancel()
            open.delete(id ?? -1)
          } else clock.advance(value)
          for (const { at } of open.values()) expect(at).toBeGreaterThan(clock.monotonic())
        }
        clock.advance(100)
        expect([open.size, clock.pending]).toEqual([0, 0])
      }),
    )
  })
})

test('after a stall of the event loop, sockets are read once before deadlines fire', () => {
  let now = 0
  const armed: { delayMs: number; callback: () => void }[] = []
  const deadlines = new DeadlineQueue(
    {
      now: () => now,
      monotonic: () => now,
      after(delayMs, callback) {
        armed.push({ delayMs, callback })
        return { cancel() {} }
      },
    },
    1000,
  )
  const struck: string[] = []
  const answered = deadlines.set(() => struck.push('answered'))
  deadlines.set(() => struck.push('silent'))
  now = 5000
  armed.shift()!.callback()
  expect(struck).toEqual([])
  // This turn of the event loop reads the data that arrived during the stall.
  answered.cancel()
  expect(armed.map(({ delayMs }) => delayMs)).toEqual([1])
  armed.shift()!.callback()
  expect(struck).toEqual(['silent'])
})
