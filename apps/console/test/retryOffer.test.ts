import { describe, expect, it } from 'vitest'
import { retryOffer } from '../src/model/retryOffer.ts'

const waiting = { pending: 19, failing: false, oldest: { attempts: 2 }, backlog: null }

describe('retrying all pending deliveries', () => {
  it('is offered where a delivery waits after a failed attempt', () => {
    expect(retryOffer(waiting)).toEqual({
      offered: true,
      text: '19 deliveries wait for a retry.',
    })
    expect(retryOffer({ ...waiting, pending: 1 }).text).toBe('1 delivery waits for a retry.')
    expect(retryOffer({ ...waiting, pending: 1_000 }).text).toMatch(/^1,000\+ deliveries wait /)
    expect(retryOffer({ ...waiting, failing: true, oldest: { attempts: 0 } }).offered).toBe(true)
    expect(retryOffer({ ...waiting, backlog: { length: 18, has_more: false } }).offered).toBe(true)
  })

  it.each([
    [{ pending: 0, oldest: null }, 'No delivery waits for a retry.'],
    [
      { backlog: { length: 19, has_more: false } },
      '19 deliveries wait for the limit. All are due, so there is nothing to retry.',
    ],
    [
      { pending: 1, failing: true, backlog: { length: 1, has_more: false } },
      '1 delivery waits for the limit. It is due, so there is nothing to retry.',
    ],
  ])('is not offered where %o', (facts, text) => {
    expect(retryOffer({ ...waiting, ...facts })).toEqual({ offered: false, text })
  })

  it('is offered where more may be pending than wait for the limit', () => {
    const backlog = { length: 1_500, has_more: false }
    expect(retryOffer({ ...waiting, pending: 1_000, backlog }).offered).toBe(true)
    expect(retryOffer({ ...waiting, oldest: { attempts: 0 } })).toEqual({
      offered: true,
      text: '19 deliveries pending. The oldest has not been attempted yet.',
    })
  })
})
