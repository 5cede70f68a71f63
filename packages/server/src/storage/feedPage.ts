/** What a reader of a feed gets of a call. */
export interface FeedPage<Entry> {
  readonly found: readonly Entry[]
  /** The last event that was looked at. */
  readonly last: Entry | null
  readonly more: boolean
}

/**
 * @param entries those that come next; read one further than is looked at, which tells whether there is more
 * @param most how many to look at
 */
export function feedPage<Entry extends { readonly type: string }>(
  entries: Iterable<Entry>,
  eventType: string | null,
  limit: number,
  most: number,
): FeedPage<Entry> {
  const found: Entry[] = []
  let last: Entry | null = null
  let looked = 0
  for (const entry of entries) {
    if (found.length === limit || looked === most) return { found, last, more: true }
    looked++
    last = entry
    if (eventType === null || entry.type === eventType) found.push(entry)
  }
  return { found, last, more: false }
}
