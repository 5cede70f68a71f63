import { describe, expect, test } from 'vitest'
import { ClientRate } from '../../src/http/shared/throttle/clientRate.ts'
import { LookUpLane } from '../../src/http/shared/throttle/lookUpLane.ts'
import { RateByName } from '../../src/http/shared/throttle/rateByName.ts'
import { RecentNames } from '../../src/http/shared/throttle/recentNames.ts'

const at = { ms: 0, monotonic: () => at.ms }

describe('a rate by name', () => {
  test('allows a burst, then one more after each interval, and never more than the burst', () => {
    const rate = new RateByName(at, { burst: 3, everyMs: 100 }, 10)
    const used = () => {
      let count = 0
      for (; rate.waitMs('a') === 0; count++) rate.use('a')
      return count
    }
    expect(used()).toBe(3)
    expect(rate.waitMs('a')).toBe(100)
    at.ms += 100
    expect(used()).toBe(1)
    at.ms += 100_000
    expect(used()).toBe(3)
  })

  test('is not used up further by rejected attempts', () => {
    const rate = new RateByName(at, { burst: 2, everyMs: 100 }, 10)
    for (let n = 0; n < 1000; n++) rate.use('a')
    expect(rate.waitMs('a')).toBe(100)
    expect(rate.wholeInMs('a')).toBe(200)
  })

  test('keeps a limited number of names, and first forgets the least recently used', () => {
    const rate = new RateByName(at, { burst: 1, everyMs: 100 }, 2)
    for (const name of ['a', 'b', 'a', 'c']) rate.use(name)
    expect(['a', 'b', 'c'].map((name) => rate.waitMs(name) > 0)).toEqual([true, false, true])
  })
})

test('names are recent for a time, and as long as there are not too many', () => {
  const names = new RecentNames(at, 100, 2)
  for (const name of ['a', 'b', 'a', 'c']) names.add(name)
  expect(['a', 'b', 'c'].map((name) => names.has(name))).toEqual([true, false, true])
  names.delete('a')
  at.ms += 99
  expect(['a', 'c'].map((name) => names.has(name))).toEqual([false, true])
  at.ms += 1
  expect(names.has('c')).toBe(false)
})

test('a shared limit rejects only those clients that used some of it', () => {
  const rate = new ClientRate(at, {
    byClient: { burst: 5, everyMs: 100 },
    inAll: { burst: 3, everyMs: 1000 },
  })
  for (const client of ['a', 'b', 'b']) rate.use(client)
  expect(rate.waitMs('a')).toBe(100)
  expect(rate.waitMs('b')).toBe(200)
  expect(rate.waitMs('c')).toBe(0)
  at.ms += 1000
  expect(['a', 'b', 'c'].map((client) => rate.waitMs(client))).toEqual([0, 0, 0])
})

describe('the lookup queue', () => {
  /** Lookups that end when the test says so. */
  function lookUps() {
    const begun: PromiseWithResolvers<string>[] = []
    const lookUp = () => {
      const one = withResolvers<string>()
      begun.push(one)
      return one.promise
    }
    return { begun, lookUp }
  }

  test('runs two at a time, in order of arrival', async () => {
    const lane = new LookUpLane()
    const { begun, lookUp } = lookUps()
    const answers = [1, 2, 3, 4].map(() => lane.run(lookUp))
    expect(begun).toHaveLength(2)
    begun[1]!.resolve('second')
    expect(await answers[1]).toBe('second')
    expect(begun).toHaveLength(3)
    for (const n of [0, 2]) begun[n]!.resolve(`${n}`)
    await answers[2]
    begun[3]!.resolve('last')
    expect(await Promise.all(answers)).toEqual(['0', 'second', '2', 'last'])
  })

  test('fails waiting ones with a failed one, and continues', async () => {
    const lane = new LookUpLane()
    const { begun, lookUp } = lookUps()
    const answers = [1, 2, 3, 4].map(() => lane.run(lookUp))
    const outcomes = Promise.allSettled(answers)
    begun[0]!.reject(new Error('away'))
    await expect(answers[3]).rejects.toThrow('away')
    begun[1]!.resolve('found')
    expect((await outcomes).map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'rejected',
      'rejected',
    ])
    expect(await lane.run(async () => 'again')).toBe('again')
    expect(await Promise.all([lane.run(async () => 1), lane.run(async () => 2)])).toEqual([1, 2])
  })

  test('is full with a thousand waiting', async () => {
    const lane = new LookUpLane()
    const { begun, lookUp } = lookUps()
    const answers = Array.from({ length: 1_001 }, () => lane.run(lookUp))
    expect(lane.isFull).toBe(false)
    answers.push(lane.run(lookUp))
    expect(lane.isFull).toBe(true)
    const outcomes = Promise.allSettled(answers)
    begun[0]!.reject(new Error('away'))
    begun[1]!.reject(new Error('away'))
    await outcomes
    expect(lane.isFull).toBe(false)
  })
})

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: Error) => void
}

/** As `Promise.withResolvers`, which Node 20 does not have. */
function withResolvers<T>(): PromiseWithResolvers<T> {
  let settle!: Pick<PromiseWithResolvers<T>, 'resolve' | 'reject'>
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject }
  })
  return { promise, ...settle }
}
