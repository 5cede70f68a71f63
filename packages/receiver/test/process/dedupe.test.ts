import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { dedupe, EventBusyError, memoryStore, type ProcessedStore } from '../../src/dedupe.ts'
import { createReceiver } from '../../src/index.ts'
import { webhookHandler } from '../../src/node.ts'
import { configurationError, untyped } from '../support.ts'
import { type Event, event, gated, options } from './processing.ts'

describe('dedupe', () => {
  test('handles one of many concurrent copies; the others are busy, and then handled', async () => {
    const { runs, handle, begun } = gated()
    const once = dedupe(options(), handle)
    const copies = Array.from({ length: 20 }, () => once(event('evt_1')))
    await begun()
    const [first, ...others] = copies
    const outcomes = await Promise.allSettled(others)
    expect(outcomes.every((one) => one.status === 'rejected' && one.reason instanceof EventBusyError)).toBe(
      true,
    )
    runs[0]!.finish()
    await first
    await once(event('evt_1'))
    expect(runs).toHaveLength(1)
  })

  test('handles different events concurrently, and each for every handler', async () => {
    const seen: string[] = []
    const store = memoryStore()
    const orders = dedupe({ store, name: 'orders' }, ({ id }: Event) => seen.push(`orders ${id}`))
    const mails = dedupe({ store, name: 'mails' }, ({ id }: Event) => seen.push(`mails ${id}`))
    await Promise.all([orders(event('evt_1')), mails(event('evt_1')), orders(event('evt_2'))])
    expect(seen.sort()).toEqual(['mails evt_1', 'orders evt_1', 'orders evt_2'])
  })

  test('does not make the sender repeat a handled event if the store fails afterwards', async () => {
    const errors: unknown[] = []
    const store: ProcessedStore = { ...memoryStore(), complete: () => Promise.reject(new Error('gone')) }
    const onStoreError = (error: unknown) => errors.push(error)
    await dedupe(options({ store, onStoreError }), () => {})(event('evt_1'))
    expect(errors).toEqual([new Error('gone')])
  })

  test('does not handle an event that the store could not claim', async () => {
    const store: ProcessedStore = { ...memoryStore(), claim: () => Promise.reject(new Error('gone')) }
    const seen: string[] = []
    const once = dedupe(options({ store }), ({ id }: Event) => seen.push(id))
    await expect(once(event('evt_1'))).rejects.toThrow('gone')
    expect(seen).toEqual([])
  })

  test('throws the handler’s error, even if the store cannot release the claim', async () => {
    const errors: unknown[] = []
    const store: ProcessedStore = { ...memoryStore(), release: () => Promise.reject(new Error('gone')) }
    const once = dedupe(options({ store, onStoreError: (error) => errors.push(error) }), () => {
      throw new Error('of its own')
    })
    await expect(once(event('evt_1'))).rejects.toThrow('of its own')
    expect(errors).toEqual([new Error('gone')])
  })

  test('needs an id', async () => {
    const once = dedupe(options(), () => {})
    for (const id of [null, undefined, ''])
      await expect(once({ event: {}, ...untyped<{ id: string }>({ id }) })).rejects.toMatchObject({
        code: 'event_has_no_id',
      })
    await dedupe<{ id: null; event: { no: string } }, []>(
      { ...options(), id: ({ event: { no } }) => no },
      () => {},
    )({
      id: null,
      event: { no: '7' },
    })
  })

  test('passes on the context, for handlers of any framework', async () => {
    const seen: unknown[] = []
    const once = dedupe(options(), (_verified: Event, ...context: number[]) => seen.push(context))
    await once(event('evt_1'), 1, 2)
    expect(seen).toEqual([[1, 2]])
    webhookHandler(
      createReceiver({ scheme: 'standard', secrets: `whsec_${'A'.repeat(43)}=` }),
      dedupe(options(), () => {}),
    )
  })

  test.each([
    [{ name: '' }],
    [{ name: 'a:b' }],
    [{ leaseSeconds: 0 }],
    [{ leaseSeconds: Number.NaN }],
    [{ keepDays: -1 }],
    [{ waitSeconds: Number.POSITIVE_INFINITY }],
  ])('rejects the options %j', (changes) => {
    expect(configurationError(() => dedupe(options(changes), () => {})).code).toBe('option_invalid')
  })
})

describe('timing of dedupe', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'Date', 'performance'] }))
  afterEach(() => void vi.useRealTimers())
  const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000)

  test('makes copies wait for the one that is being handled', async () => {
    const { runs, handle, begun } = gated()
    const once = dedupe(options({ waitSeconds: 5 }), handle)
    const copies = Promise.all(Array.from({ length: 20 }, () => once(event('evt_1'))))
    await begun()
    await seconds(2)
    runs[0]!.finish()
    await seconds(1)
    await copies
    expect(runs).toHaveLength(1)
  })

  test('makes a copy wait up to its limit, and no longer', async () => {
    const { runs, handle, begun } = gated()
    const once = dedupe(options({ waitSeconds: 5 }), handle)
    const first = once(event('evt_1'))
    await begun()
    const busy = expect(once(event('evt_1'))).rejects.toThrow(EventBusyError)
    await seconds(5)
    await busy
    runs[0]!.finish()
    await first
  })

  test('handles a copy that waited if the first one failed', async () => {
    const { runs, handle, begun } = gated()
    const once = dedupe(options({ waitSeconds: 5 }), handle)
    const first = expect(once(event('evt_1'))).rejects.toThrow('database')
    await begun()
    const second = once(event('evt_1'))
    await seconds(1)
    runs.shift()!.fail(new Error('database'))
    await first
    await seconds(1)
    await begun()
    runs[0]!.finish()
    await second
  })

  test('keeps its claim as long as the handler runs', async () => {
    const { runs, handle, begun } = gated()
    const once = dedupe(options({ leaseSeconds: 60 }), handle)
    const first = once(event('evt_1'))
    await begun()
    await seconds(200)
    await expect(once(event('evt_1'))).rejects.toThrow(EventBusyError)
    runs[0]!.finish()
    await first
  })

  test('handles an event again after a crash, once the claim has expired', async () => {
    const store = memoryStore()
    await store.claim({ key: 'orders:event:evt_1', version: 0, event: '' }, 'crashed', 3_000)
    const seen: string[] = []
    const once = dedupe(options({ store, waitSeconds: 5 }), ({ id }: Event) => seen.push(id))(event('evt_1'))
    await seconds(2.9)
    expect(seen).toEqual([])
    await seconds(1)
    await once
    expect(seen).toEqual(['evt_1'])
  })

  test('retries when the store cannot extend a claim, and reports claims that it cannot complete', async () => {
    const errors: unknown[] = []
    const fail = () => {
      throw new Error('gone')
    }
    let claims = 0
    const claim = async () => (claims++ === 0 ? ('claimed' as const) : fail())
    const store: ProcessedStore = { claim, complete: fail, release: fail }
    const { runs, handle, begun } = gated()
    const onStoreError = (error: unknown) => errors.push(error)
    const once = dedupe(options({ store, leaseSeconds: 60, onStoreError }), handle)(event('evt_1'))
    await begun()
    await seconds(61)
    runs[0]!.finish()
    await once
    expect(errors).toEqual([new Error('gone')])
    expect(claims).toBe(4)
  })
})
