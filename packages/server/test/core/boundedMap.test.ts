import { expect, test } from 'vitest'
import { BoundedMap } from '../../src/core/boundedMap.ts'

test('a bounded map drops only the entry that was set longest ago', () => {
  const map = new BoundedMap<string, number>(2)
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['c', 4],
  ] as const)
    map.set(key, value)
  expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([3, undefined, 4])
  map.set('c', 5)
  expect(['a', 'c'].map((key) => map.get(key))).toEqual([3, 5])
  map.delete('a')
  map.set('d', 6)
  expect(['c', 'd'].map((key) => map.get(key))).toEqual([5, 6])
  map.clear()
  expect(map.get('c')).toBeUndefined()
})
