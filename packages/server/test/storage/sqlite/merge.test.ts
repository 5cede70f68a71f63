import fc from 'fast-check'
import { expect, test } from 'vitest'
import { merge } from '../../../src/storage/sqlite/merge.ts'

interface Item {
  readonly value: number
  /** Index of its source. */
  readonly from: number
}

const lists = fc
  .array(fc.array(fc.nat(50), { maxLength: 12 }), { maxLength: 12 })
  .map((all) => all.map((values, from) => values.sort((a, b) => b - a).map((value) => ({ value, from }))))

const precedes = (a: Item, b: Item) => (a.value === b.value ? a.from < b.from : a.value > b.value)

test('sources that are in order come out as one that is in order, with nothing lost', () => {
  fc.assert(
    fc.property(lists, (sources) => {
      const merged = [
        ...merge(
          sources.map((items) => read(items, () => {})),
          precedes,
        ),
      ]
      expect(merged).toEqual(sources.flat().sort((a, b) => (precedes(a, b) ? -1 : 1)))
    }),
  )
})

test('each source is read one item further than the result at most', () => {
  fc.assert(
    fc.property(lists, (sources) => {
      const reads = sources.map(() => 0)
      const used = sources.map(() => 0)
      const counted = sources.map((items, index) => read(items, () => reads[index]!++))
      for (const { from } of merge(counted, precedes)) {
        used[from]!++
        for (const [index, count] of reads.entries()) expect(count).toBeLessThanOrEqual(used[index]! + 1)
      }
    }),
  )
})

function* read(items: readonly Item[], onRead: () => void): Generator<Item, undefined> {
  for (const item of items) {
    onRead()
    yield item
  }
}
