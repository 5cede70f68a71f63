import type { Page } from '../model/delivery.ts'

/** Reads all pages of a list. @param read reads one page; `null`: the first */
export async function allPages<Item>(
  read: (cursor: string | null) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const found: Item[] = []
  let cursor: string | null = null
  do {
    const { items, nextCursor }: Page<Item> = await read(cursor)
    found.push(...items)
    cursor = nextCursor
  } while (cursor !== null)
  return found
}
