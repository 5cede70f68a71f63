import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MatchCache, type OnWebhook } from '../../src/storage/matchCache.ts'

const webhook = (id: number, types: readonly string[] | null): OnWebhook => ({
  id,
  version: 1,
  types: types === null ? null : new Set(types),
  held: false,
})

const idsOf = (webhooks: readonly OnWebhook[]) => webhooks.map(({ id }) => id)

describe('webhooks that an event matches', () => {
  test('are those that name its type or accept every one, by id', () => {
    const types = fc.option(fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }))
    fc.assert(
      fc.property(fc.array(types, { maxLength: 8 }), fc.constantFrom('a', 'b', 'c', 'd'), (wanted, type) => {
        const on = wanted.map((one, i) => webhook(i, one))
        const expected = on.filter((one) => one.types === null || one.types.has(type))
        expect(idsOf(new MatchCache().match(1, type, () => on))).toEqual(idsOf(expected))
      }),
    )
  })

  test('are one list for all types that no webhook names, however many there are', () => {
    const cache = new MatchCache()
    const on = [webhook(1, null), webhook(2, ['a']), webhook(3, null)]
    const lists = Array.from({ length: 1000 }, (_, i) => cache.match(1, `made.up.${i}`, () => on))
    expect(idsOf(lists[0]!)).toEqual([1, 3])
    expect(new Set(lists).size).toBe(1)
  })

  test('are the same list until something changes, and the list of all where all match', () => {
    const cache = new MatchCache()
    const on = [webhook(1, ['a', 'b']), webhook(2, ['a'])]
    const load = () => on
    expect(cache.match(1, 'a', load)).toBe(on)
    expect(cache.match(1, 'b', load)).toBe(cache.match(1, 'b', load))
    expect(cache.match(1, 'c', load)).toEqual([])
    cache.forget(1)
    expect(idsOf(cache.match(1, 'a', () => [on[1]!]))).toEqual([2])
  })
})
