import { describe, expect, test } from 'vitest'
import {
  dedupe,
  EventBusyError,
  memoryStore,
  newestOnly,
  type ProcessedStore,
  type ProcessOptions,
} from '../../src/dedupe.ts'
import { createReceiver } from '../../src/index.ts'
import { webhookHandler } from '../../src/node.ts'
import {
  ADS_EVENT,
  CONTENT_EVENT,
  configurationError,
  serviceHeaders,
  serviceReceiver,
  standardHeaders,
  standardReceiver,
  untyped,
} from '../support.ts'

interface Event {
  readonly id: string
  readonly type: string
  readonly event: { readonly entityType: string; readonly entityId: string; readonly occurredAt: string }
}

const event = (id: string, second = 0, entityId = 'c1'): Event => ({
  id,
  type: 'campaign.updated.v1',
  event: { entityType: 'campaign', entityId, occurredAt: `2026-01-01T00:00:0${second}.000Z` },
})

/** A handler that a test lets go on. */
function gated() {
  const runs: { readonly id: string; finish(): void; fail(error: Error): void }[] = []
  const waiting: (() => void)[] = []
  return {
    runs,
    handle: ({ id }: Event) =>
      new Promise<void>((finish, fail) => {
        runs.push({ id, finish, fail })
        for (const resolve of waiting.splice(0)) resolve()
      }),
    /** Resolves once a handler runs. */
    begun: () =>
      new Promise<void>((resolve) => {
        if (runs.length > 0) resolve()
        else waiting.push(resolve)
      }),
  }
}

const options = (changes: Partial<ProcessOptions> = {}): ProcessOptions => ({
  store: memoryStore(),
  name: 'orders',
  waitSeconds: 0,
  ...changes,
})

describe('dedupe', () => {
  test('handles one of many copies that arrive at once; the others are busy, and handled once it is', async () => {
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

  test('lets copies wait for the one that is handled', async () => {
    const { runs, handle, begun } = gated()
    const once = dedupe(options({ waitSeconds: 5 }), handle)
    const copies = Promise.all(Array.from({ length: 20 }, () => once(event('evt_1'))))
    await begun()
    runs[0]!.finish()
    await copies
    expect(runs).toHaveLength(1)
  })

  test('handles a copy that waited if the first one failed', async () => {
    const { runs, handle, begun } = gated()
    const once = dedupe(options({ waitSeconds: 5 }), handle)
    const first = once(event('evt_1'))
    await begun()
    const second = once(event('evt_1'))
    runs.shift()!.fail(new Error('database'))
    await expect(first).rejects.toThrow('database')
    await begun()
    runs[0]!.finish()
    await second
  })

  test('handles different events at once, and each for every handler', async () => {
    const seen: string[] = []
    const store = memoryStore()
    const orders = dedupe({ store, name: 'orders' }, ({ id }: Event) => seen.push(`orders ${id}`))
    const mails = dedupe({ store, name: 'mails' }, ({ id }: Event) => seen.push(`mails ${id}`))
    await Promise.all([orders(event('evt_1')), mails(event('evt_1')), orders(event('evt_2'))])
    expect(seen.sort()).toEqual(['mails evt_1', 'orders evt_1', 'orders evt_2'])
  })

  test('keeps its claim as long as the handler runs', async () => {
    const { runs, handle, begun } = gated()
    const once = dedupe(options({ leaseSeconds: 0.06 }), handle)
    const first = once(event('evt_1'))
    await begun()
    await new Promise((resolve) => setTimeout(resolve, 200))
    await expect(once(event('evt_1'))).rejects.toThrow(EventBusyError)
    runs[0]!.finish()
    await first
  })

  test('handles an event again after a crash, once the claim has expired', async () => {
    const store = memoryStore()
    await store.claim({ key: 'orders:event:evt_1', version: 0, event: '' }, 'crashed', 50)
    const seen: string[] = []
    await dedupe(options({ store, waitSeconds: 5 }), ({ id }: Event) => seen.push(id))(event('evt_1'))
    expect(seen).toEqual(['evt_1'])
  })

  test('does not make the sender repeat what was handled, if the store fails after that', async () => {
    const errors: unknown[] = []
    const store: ProcessedStore = { ...memoryStore(), complete: () => Promise.reject(new Error('gone')) }
    const onStoreError = (error: unknown) => errors.push(error)
    await dedupe(options({ store, onStoreError }), () => {})(event('evt_1'))
    expect(errors).toEqual([new Error('gone')])
  })

  test('does not handle what the store could not claim', async () => {
    const store: ProcessedStore = { ...memoryStore(), claim: () => Promise.reject(new Error('gone')) }
    const seen: string[] = []
    const once = dedupe(options({ store }), ({ id }: Event) => seen.push(id))
    await expect(once(event('evt_1'))).rejects.toThrow('gone')
    expect(seen).toEqual([])
  })

  test('gives the handler’s error, even if the store cannot take the claim back', async () => {
    const errors: unknown[] = []
    const store: ProcessedStore = { ...memoryStore(), release: () => Promise.reject(new Error('gone')) }
    const once = dedupe(options({ store, onStoreError: (error) => errors.push(error) }), () => {
      throw new Error('of its own')
    })
    await expect(once(event('evt_1'))).rejects.toThrow('of its own')
    expect(errors).toEqual([new Error('gone')])
  })

  test('bears stores that throw at once', async () => {
    const errors: unknown[] = []
    const fail = () => {
      throw new Error('gone')
    }
    let claims = 0
    const claim = async () => (claims++ === 0 ? ('claimed' as const) : fail())
    const store: ProcessedStore = { claim, complete: fail, release: fail }
    const changes = { store, leaseSeconds: 0.03, onStoreError: (error: unknown) => errors.push(error) }
    await dedupe(options(changes), () => new Promise((resolve) => setTimeout(resolve, 50)))(event('evt_1'))
    expect(errors).toEqual([new Error('gone')])
    expect(claims).toBeGreaterThan(1)
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

  test('hands on the context, for handlers of any framework', async () => {
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

describe('newestOnly', () => {
  function recorded(changes: Partial<ProcessOptions> = {}) {
    const seen: string[] = []
    return { seen, newest: newestOnly(options(changes), ({ id }: Event) => void seen.push(id)) }
  }

  test('handles what is newer than what was handled, and skips what is older', async () => {
    const { seen, newest } = recorded()
    for (const [id, second] of [
      ['b', 2],
      ['a', 1],
      ['d', 4],
      ['c', 3],
      ['e', 5],
    ] as const)
      await newest(event(id, second))
    expect(seen).toEqual(['b', 'd', 'e'])
  })

  test('handles both of two events of the same time, each once', async () => {
    const { seen, newest } = recorded()
    for (const id of ['a', 'b', 'b']) await newest(event(id, 1))
    expect(seen).toEqual(['a', 'b'])
  })

  test('orders the events of each entity by themselves', async () => {
    const { seen, newest } = recorded()
    await newest(event('a', 9, 'c1'))
    await newest(event('b', 1, 'c2'))
    expect(seen).toEqual(['a', 'b'])
  })

  test('never ends with an older event than one that was handled before, in whatever order they arrive', async () => {
    const { seen, newest } = recorded({ waitSeconds: 5 })
    const order = [7, 3, 9, 1, 8, 2, 5, 4, 6, 0]
    await Promise.all(order.map((second) => newest(event(String(second), second))))
    expect(seen).toEqual([...seen].sort())
    expect(seen.at(-1)).toBe('9')
  })

  test('handles an older event if the newer one failed', async () => {
    const seen: string[] = []
    const newest = newestOnly(options(), ({ id }: Event) => {
      if (id === 'b') throw new Error('database')
      seen.push(id)
    })
    await expect(newest(event('b', 2))).rejects.toThrow('database')
    await newest(event('a', 1))
    expect(seen).toEqual(['a'])
  })

  test('finds the entity and the time of events of both contracts', async () => {
    const ads = JSON.stringify(ADS_EVENT)
    const verifiedAds = await serviceReceiver().verify(ads, serviceHeaders(ads))
    const keys: string[] = []
    const inner = memoryStore()
    const store: ProcessedStore = {
      ...inner,
      claim(claimed, token, leaseMs) {
        keys.push(`${claimed.key} ${claimed.version}`)
        return inner.claim(claimed, token, leaseMs)
      },
    }
    await newestOnly(options({ store }), () => {})(verifiedAds)
    const content = JSON.stringify(CONTENT_EVENT)
    const verifiedContent = await standardReceiver().verify(content, standardHeaders(content))
    await newestOnly(options({ store }), () => {})(verifiedContent)
    const time = Date.parse(CONTENT_EVENT.timestamp)
    expect(keys).toEqual([
      `orders:entity:campaign:${ADS_EVENT.entityId} ${time}`,
      `orders:entity:version:ver_1 ${time}`,
    ])
  })

  test.each([
    [
      'publication.published',
      { publication: { id: 'p1' }, version_id: 'v1', generation: { id: 'g1' } },
      'publication:p1',
    ],
    ['generation.failed', { generation: { id: 'g1' } }, 'generation:g1'],
    ['schedule.cancel_required', { subject_id: 's1' }, 'subject:s1'],
    ['autopilot.needs_review', { generation: { id: 'g1' }, subject_id: 's1' }, 'generation:g1'],
    ['suggestions.ready', { count: 1 }, null],
  ])('%s is about %j: %s', async (type, data, entity) => {
    const keys: string[] = []
    const store: ProcessedStore = {
      ...memoryStore(),
      async claim({ key }) {
        keys.push(key)
        return 'done'
      },
    }
    await newestOnly(options({ store }), () => {})({
      id: 'evt_1',
      type,
      event: { type, data, timestamp: CONTENT_EVENT.timestamp },
    })
    expect(keys).toEqual(entity === null ? [] : [`orders:entity:${entity}`])
  })

  test('handles events without an entity, whatever was handled', async () => {
    const seen: string[] = []
    const newest = newestOnly({ ...options(), entity: () => null }, ({ id }: Event) => void seen.push(id))
    await newest(event('b', 2))
    await newest(event('a', 1))
    expect(seen).toEqual(['b', 'a'])
  })

  test('takes entities and versions of the application’s own', async () => {
    interface Row {
      readonly id: string
      readonly event: { readonly row: string; readonly revision: number }
    }
    const seen: string[] = []
    const newest = newestOnly<Row, []>(
      { ...options(), entity: ({ event: { row } }) => row, version: ({ event: { revision } }) => revision },
      ({ id }) => void seen.push(id),
    )
    for (const revision of [2, 1, 3]) await newest({ id: String(revision), event: { row: 'r1', revision } })
    expect(seen).toEqual(['2', '3'])
  })

  test.each([['soon'], [1.5], [Number.NaN], [undefined], [new Date(Number.NaN)]])(
    'rejects the version %j',
    async (version) => {
      const newest = newestOnly({ ...options(), version: () => untyped<number>(version) }, () => {})
      await expect(newest(event('a'))).rejects.toMatchObject({ code: 'event_has_no_version' })
    },
  )

  test('goes together with dedupe', async () => {
    const seen: string[] = []
    const store = memoryStore()
    const handle = newestOnly({ store, name: 'orders' }, ({ id }: Event) => void seen.push(id))
    const both = dedupe({ store, name: 'orders' }, handle)
    await Promise.all([event('b', 2), event('b', 2), event('a', 1)].map((one) => both(one)))
    for (const one of [event('b', 2), event('a', 1), event('c', 3)]) await both(one)
    expect(seen.filter((id) => id === 'b')).toHaveLength(1)
    expect(seen.at(-1)).toBe('c')
  })
})

describe('the store in memory', () => {
  test('keeps no more than it may, and never forgets what is being handled', async () => {
    const store = memoryStore({ maxEntries: 3 })
    const claimed = (i: number) => ({ key: `k${i}`, version: 0, event: '' })
    await store.claim(claimed(0), 'a', 60_000)
    for (let i = 1; i <= 5; i += 1) {
      await store.claim(claimed(i), 'b', 60_000)
      await store.complete(claimed(i), 'b', 60_000)
    }
    expect(await store.claim(claimed(0), 'c', 1)).toBe('busy')
    expect(await store.claim(claimed(5), 'c', 1)).toBe('done')
    expect(await store.claim(claimed(1), 'c', 1)).toBe('claimed')
  })
})
