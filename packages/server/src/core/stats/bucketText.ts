import { compacted, readCounts, type Tally } from './tally.ts'

/**
 * Counts of several webhooks or workspaces in one text. Each has a line that begins with a line feed, its id and a colon, so
 * that one is found without reading the others.
 */

const END = '\n'

/** Calls `each` with every line. An id may have several. */
export function eachLine(bucket: string, each: (id: number, countsFrom: number, to: number) => void): void {
  for (let from = 0; from < bucket.length; ) {
    const next = bucket.indexOf(END, from + 1)
    const to = next === -1 ? bucket.length : next
    const colon = bucket.indexOf(':', from)
    each(Number(bucket.slice(from + 1, colon)), colon + 1, to)
    from = to
  }
}

/** Adds the counts of one id, from a bucket without repeated ids. */
export function readLine(tally: Tally, bucket: string, id: number): void {
  const head = `${END}${id}:`
  const from = bucket.indexOf(head)
  if (from === -1) return
  const to = bucket.indexOf(END, from + head.length)
  readCounts(tally, bucket, from + head.length, to === -1 ? bucket.length : to)
}

export const line = (id: number, counts: string): string => `${END}${id}:${counts}`

/** @returns the bucket with these counts added and everything else unchanged */
export function addToBucket(bucket: string, added: ReadonlyMap<number, string>): string {
  const left = new Map(added)
  let text = ''
  eachLine(bucket, (id, from, to) => {
    const counts = bucket.slice(from, to)
    const more = left.get(id)
    text += line(id, more === undefined ? counts : compacted(counts + more))
    left.delete(id)
  })
  for (const [id, counts] of left) text += line(id, compacted(counts))
  return text
}
