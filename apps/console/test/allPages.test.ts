import { expect, it } from 'vitest'
import { allPages } from '../src/api/allPages.ts'

it('reads page after page to the end of a list, each from where the one before ended', async () => {
  const pages = new Map<string | null, { items: number[]; nextCursor: string | null }>([
    [null, { items: [1, 2], nextCursor: 'a' }],
    // A page may have nothing on it, and the list goes on.
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
