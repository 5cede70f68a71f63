import { compacted, readCounts, type Tally } from './tally.ts'

/**
 * Counts of several webhooks or workspaces in one text: a line for each, which begins with a line feed, its id and a colon.
 * One is found without reading the others.
 */

const END = '\n'

/** Calls `each` with every line. An id may have several. */
export function eachLine(sheet: string, each: (id: number, countsFrom: number, to: number) => void): void {
  for (let from = 0; from < sheet.length; ) {
    const next = sheet.indexOf(END, from + 1)
    const to = next === -1 ? sheet.length : next
    const colon = sheet.indexOf(':', from)
    each(Number(sheet.slice(from + 1, colon)), colon + 1, to)
    from = to
  }
}

/** Adds what a sheet without repeated ids has of one id. */
export function readLine(tally: Tally, sheet: string, id: number): void {
  const head = `${END}${id}:`
  const from = sheet.indexOf(head)
  if (from === -1) return
  const to = sheet.indexOf(END, from + head.length)
  readCounts(tally, sheet, from + head.length, to === -1 ? sheet.length : to)
}

export const line = (id: number, counts: string): string => `${END}${id}:${counts}`

/** @returns the sheet with these counts added, and everything else in it as it was */
export function addToSheet(sheet: string, added: ReadonlyMap<number, string>): string {
  const left = new Map(added)
  let text = ''
  eachLine(sheet, (id, from, to) => {
    const counts = sheet.slice(from, to)
    const more = left.get(id)
    text += line(id, more === undefined ? counts : compacted(counts + more))
    left.delete(id)
  })
  for (const [id, counts] of left) text += line(id, compacted(counts))
  return text
}
