import { describe, expect, it } from 'vitest'
import { arrivalsText, isRetrying } from '../src/model/arrivals.ts'

const settled = {
  deliveries: { delivered: 12 },
  rate: 1,
  pending: 0,
  failing: false,
  retrying: false,
}

describe('the headline about deliveries', () => {
  it('is the success rate while no delivery waits for a retry', () => {
    expect(arrivalsText(settled)).toEqual({ leadsWith: 'share', counts: '12 delivered', share: '100%' })
    expect(arrivalsText({ ...settled, pending: 3 }).leadsWith).toBe('share')
  })

  it('is the number delivered and waiting where a delivery waits for a retry', () => {
    expect(arrivalsText({ ...settled, pending: 30, retrying: true })).toEqual({
      leadsWith: 'counts',
      counts: '12 delivered, 30 pending now',
      share: '100%',
    })
  })

  it('has no success rate of earlier deliveries where every attempt fails now', () => {
    expect(arrivalsText({ ...settled, pending: 30, failing: true })).toEqual({
      leadsWith: 'counts',
      counts: '12 delivered, 30 pending now',
      share: null,
    })
  })

  it('is counts where no delivery is finished or the number waiting is unknown', () => {
    const none = { ...settled, deliveries: { delivered: 0 }, rate: null, pending: 1_000 }
    expect(arrivalsText(none)).toEqual({
      leadsWith: 'counts',
      counts: '0 delivered, 1,000+ pending now',
      share: null,
    })
    expect(arrivalsText({ ...settled, pending: null, failing: true }).counts).toBe('12 delivered')
  })
})

describe('whether a delivery waits for a retry', () => {
  const waiting = {
    pending: 2,
    oldest_pending: { attempts: 0 },
    last_delivery: { status: 'delivered', error_code: null },
    last_24h: { failed: 5 },
  }
  it('is known from the oldest and the newest delivery', () => {
    expect(isRetrying(waiting)).toBe(false)
    expect(isRetrying({ ...waiting, oldest_pending: { attempts: 1 } })).toBe(true)
    const last_delivery = { status: 'pending', error_code: 'timeout' }
    expect(isRetrying({ ...waiting, last_delivery })).toBe(true)
    expect(isRetrying({ ...waiting, last_delivery: { ...last_delivery, status: 'failed' } })).toBe(false)
    expect(isRetrying({ ...waiting, pending: 0, oldest_pending: { attempts: 1 } })).toBe(false)
  })
  it('is estimated from the attempts of the day where the list has no oldest delivery', () => {
    const { oldest_pending: _, ...listed } = waiting
    expect(isRetrying(listed)).toBe(true)
    expect(isRetrying({ ...listed, last_24h: { failed: 0 } })).toBe(false)
    expect(isRetrying({ ...listed, pending: 0 })).toBe(false)
  })
})
