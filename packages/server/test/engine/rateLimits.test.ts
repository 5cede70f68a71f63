import { describe, expect, test } from 'vitest'
import { NO_LIMIT, portionOf, type WebhookLimit } from '../../src/core/limit.ts'
import type { LeasedDelivery } from '../../src/storage/rows.ts'
import { delivery } from '../support/deliveries.ts'
import { TestLanes } from './lanesFixture.ts'

const HONORS = { honorsRetryAfter: true }
const error = { code: 'http_status', message: '', fault: { kind: 'http_status', statusCode: 429 } } as never

/** Lanes whose deliveries are sent as soon as allowed, and answered after a while. */
class RateLimitedLanes extends TestLanes {
  /** Start times of attempts, by webhook; ms. */
  readonly begun: { readonly webhookId: number; readonly at: number }[] = []
  most = 0
  #id = 1

  constructor(answersAfterMs: number) {
    super({ maxInFlight: 100, maxInFlightPerWebhook: 10 })
    this.onReady(() => {
      for (let next = this.takeNext(); next !== null; next = this.takeNext()) {
        const { webhookId } = next
        this.begun.push({ webhookId, at: this.clock.monotonic() })
        this.most = Math.max(this.most, this.find(webhookId)!.inFlight)
        this.clock.after(answersAfterMs, () => {
          this.end(webhookId, true)
          this.ready()
        })
      }
    })
  }

  fill(webhookId: number, count: number, webhookVersion = 1): LeasedDelivery[] {
    return this.add(
      Array.from({ length: count }, () => delivery({ id: this.#id++, webhookId, webhookVersion })),
      'claim',
    )
  }

  limit(webhookId: number, limit: Partial<WebhookLimit>, version = 1): boolean {
    const lane = this.of({ webhookId, workspaceId: 1 })
    return this.rateLimits.setLimit(lane, { ...NO_LIMIT, ...limit }, version)
  }

  answer(webhookId: number, statusCode: number, retryAfter: string | null, startedAt: number): void {
    const outcome = { error: statusCode < 300 ? null : error, statusCode, retryAfter }
    this.rateLimits.answered(this.find(webhookId)!, { outcome, endedAt: this.clock.now() }, startedAt, HONORS)
  }

  timesOf(webhookId: number): number[] {
    return this.begun.filter((one) => one.webhookId === webhookId).map(({ at }) => at)
  }
}

describe('a rate limit', () => {
  test.each([0.5, 1, 7, 100])('of %d is kept in every second, and fully used', (maxPerSecond) => {
    const lanes = new RateLimitedLanes(3)
    lanes.limit(1, { maxPerSecond })
    for (let second = 0; second < 20; second++) {
      lanes.fill(1, maxPerSecond * 2)
      lanes.clock.advance(1_000)
    }
    const times = lanes.timesOf(1)
    expect(times.length).toBeGreaterThanOrEqual(Math.floor(maxPerSecond * 20 * 0.9))
    for (const from of times) {
      const within = times.filter((at) => at >= from && at < from + 1_000).length
      expect(within).toBeLessThanOrEqual(Math.ceil(maxPerSecond * 1.1) + 1)
    }
  })

  test('waits one interval before the first: another node may just have sent one', () => {
    const lanes = new RateLimitedLanes(1)
    lanes.limit(1, { maxPerSecond: 2 })
    lanes.fill(1, 3)
    lanes.clock.advance(499)
    expect(lanes.begun).toEqual([])
    lanes.clock.advance(1_001)
    expect(lanes.timesOf(1)).toEqual([500, 1_000, 1_500])
  })

  test('delays no other webhook', () => {
    const lanes = new RateLimitedLanes(1)
    lanes.limit(1, { maxPerSecond: 0.1 })
    lanes.fill(1, 5)
    lanes.fill(2, 5)
    lanes.clock.advance(10)
    expect([lanes.timesOf(1).length, lanes.timesOf(2).length]).toEqual([0, 5])
  })

  test('that is raised or removed applies at once', () => {
    const lanes = new RateLimitedLanes(1)
    lanes.limit(1, { maxPerSecond: 0.01 })
    lanes.fill(1, 30)
    lanes.clock.advance(5_000)
    lanes.limit(1, { maxPerSecond: 10 }, 2)
    lanes.clock.advance(1_000)
    expect(lanes.timesOf(1)).toHaveLength(10)
    lanes.limit(1, NO_LIMIT, 3)
    lanes.clock.advance(100)
    expect(lanes.timesOf(1)).toHaveLength(30)
    expect(lanes.find(1)!.limiter).toBeNull()
  })
})

test('a changed webhook has its turn at once, to be read again, however long it had to wait', () => {
  const lanes = new RateLimitedLanes(1)
  lanes.limit(1, { maxPerSecond: 0.01, maxInFlight: 1 })
  lanes.fill(1, 2)
  lanes.clock.advance(1_000)
  expect(lanes.next()).toBeNull()
  lanes.onReady(() => {})
  lanes.changed(1)
  expect(lanes.next()).toBe(lanes.find(1))
  lanes.limit(1, { maxPerSecond: 0.01, maxInFlight: 1 }, 2)
  expect(lanes.next()).toBeNull()
})

describe('a concurrency limit', () => {
  test('is kept, and the operator’s own applies as well', () => {
    for (const [maxInFlight, most] of [
      [1, 1],
      [3, 3],
      [500, 10],
    ] as const) {
      const lanes = new RateLimitedLanes(50)
      lanes.limit(1, { maxInFlight })
      lanes.fill(1, 40)
      lanes.clock.advance(3_000)
      expect([lanes.most, lanes.begun.length]).toEqual([most, 40])
    }
  })
})

describe('waiting deliveries in memory', () => {
  test('are enough for some seconds: the claimer requests no more, and requests again before they run out', () => {
    const lanes = new RateLimitedLanes(1)
    const limit = { maxPerSecond: 4, maxInFlight: null }
    lanes.limit(1, limit)
    lanes.fill(1, portionOf(limit))
    const isFull = () => [...lanes.memory.withEnough(64)].some(({ webhookId }) => webhookId === 1)
    expect(isFull()).toBe(true)
    lanes.clock.advance(1_000)
    expect(isFull()).toBe(false)
    expect(lanes.find(1)!.waiting).toBeGreaterThan(0)
  })

  test('are released if they were leased before there was a limit, and so are later ones of that time', () => {
    const lanes = new RateLimitedLanes(1)
    lanes.block(lanes.of({ webhookId: 1, workspaceId: 1 }), 'loading')
    lanes.fill(1, 3, 4)
    expect(lanes.limit(1, { maxPerSecond: 1 }, 5)).toBe(true)
    expect(lanes.dropOf(1)).toHaveLength(3)
    expect(lanes.fill(1, 2, 4)).toHaveLength(2)
    expect(lanes.fill(1, 2, 5)).toEqual([])
    expect(lanes.limit(1, { maxPerSecond: 2 }, 6)).toBe(false)
  })

  test('a node that cannot send to a limited webhook reports it, and forgets its limit afterwards', () => {
    const lanes = new RateLimitedLanes(1)
    lanes.limit(1, { maxInFlight: 2 })
    const lane = lanes.find(1)!
    const unusable = () => lanes.rateLimits.unusable(lanes.keptInStore(), lanes.held)
    expect(unusable()).toEqual([])
    lanes.block(lane, 'sender')
    expect(unusable()).toEqual([lane])
    lanes.unblock(lane, 'sender')
    lanes.hold()
    expect(unusable()).toEqual([lane])
    lanes.rateLimits.forgetLimits(unusable())
    expect([lane.limiter, lane.target, unusable()]).toEqual([null, null, []])
  })
})

describe('a receiver that asks for a lower rate', () => {
  function asked(seconds: string) {
    const lanes = new RateLimitedLanes(20)
    lanes.fill(1, 1)
    lanes.clock.advance(20)
    lanes.answer(1, 429, seconds, 0)
    lanes.fill(1, 2_000)
    return lanes
  }

  test('gets one request at a time, and one a second, until its time is over', () => {
    const lanes = asked('30')
    lanes.clock.advance(29_000)
    expect(lanes.most).toBe(1)
    expect(lanes.begun.length).toBeLessThanOrEqual(30)
    expect(lanes.begun.length).toBeGreaterThanOrEqual(28)
    lanes.clock.advance(3_000)
    expect(lanes.most).toBe(10)
  })

  test('is slowed down for five minutes at most, whatever it says', () => {
    const lanes = asked('86400')
    lanes.clock.advance(299_000)
    expect(lanes.most).toBe(1)
    lanes.clock.advance(5_000)
    expect(lanes.most).toBe(10)
  })

  test('is at full speed once it accepts a request sent afterwards, and not before', () => {
    const lanes = asked('300')
    lanes.answer(1, 200, null, 5)
    lanes.clock.advance(2_500)
    expect(lanes.most).toBe(1)
    lanes.answer(1, 200, null, 1_100)
    lanes.clock.advance(100)
    expect(lanes.most).toBe(10)
    expect(lanes.find(1)!.limiter).toBeNull()
  })

  test('delays no other', () => {
    const lanes = asked('300')
    lanes.fill(2, 50)
    lanes.clock.advance(200)
    expect(lanes.timesOf(2)).toHaveLength(50)
  })

  test('is not slowed down if the profile ignores Retry-After, and if no status asks for it', () => {
    const lanes = new RateLimitedLanes(1)
    lanes.fill(1, 1)
    const outcome = { error, statusCode: 429, retryAfter: '9' }
    lanes.rateLimits.answered(lanes.find(1)!, { outcome, endedAt: 0 }, 0, { honorsRetryAfter: false })
    lanes.answer(1, 500, '9', 0)
    expect(lanes.find(1)!.limiter).toBeNull()
  })
})
