import { expect, it } from 'vitest'
import { allPages } from '../src/api/allPages.ts'

it('reads all pages of a list, each from the cursor of the previous one', async () => {
  const pages = new Map<string | null, { items: number[]; nextCursor: string | null }>([
    [null, { items: [1, 2], nextCursor: 'a' }],
    // An empty page may be followed by more pages.
    ['a', { items: [], nextCursor: 'b' }],
    ['b', { items: [3], nextCursor: null }],
  ])
  const asked: (string | null)[] = []
  const read = async (cursor: string | null) => {
    asked.push(cursor)
    return pages.get(cursor)!
  }
  expect(await allPages(read)).toEqual([1, 2, 3])
  expect(asked).toEqual([null, 'a', 'b'])
})
