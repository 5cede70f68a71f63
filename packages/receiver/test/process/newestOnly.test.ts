import { describe, expect, test } from 'vitest'
import {
  dedupe,
  memoryStore,
  newestOnly,
  type ProcessedStore,
  type ProcessOptions,
} from '../../src/dedupe.ts'
import {
  ADS_EVENT,
  CONTENT_EVENT,
  serviceHeaders,
  serviceReceiver,
  standardHeaders,
  standardReceiver,
  untyped,
} from '../support.ts'
import { type Event, event, options } from './processing.ts'

describe('newestOnly', () => {
  function recorded(changes: Partial<ProcessOptions> = {}) {
    const seen: string[] = []
    return { seen, newest: newestOnly(options(changes), ({ id }: Event) => void seen.push(id)) }
  }

  test('handles newer events, and skips older ones', async () => {
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

  test('handles both of two events with the same time, each once', async () => {
    const { seen, newest } = recorded()
    for (const id of ['a', 'b', 'b']) await newest(event(id, 1))
    expect(seen).toEqual(['a', 'b'])
  })

  test('orders the events of each entity separately', async () => {
    const { seen, newest } = recorded()
    await newest(event('a', 9, 'c1'))
    await newest(event('b', 1, 'c2'))
    expect(seen).toEqual(['a', 'b'])
  })

  test('never ends with an older event than one handled before, whatever the order of arrival', async () => {
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

  test('handles events without an entity, whatever was handled before', async () => {
    const seen: string[] = []
    const newest = newestOnly({ ...options(), entity: () => null }, ({ id }: Event) => void seen.push(id))
    await newest(event('b', 2))
    await newest(event('a', 1))
    expect(seen).toEqual(['b', 'a'])
  })

  test('accepts the application’s own entities and versions', async () => {
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

  test('can be combined with dedupe', async () => {
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
