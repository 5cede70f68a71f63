import { PLACES } from './places.ts'

/** How often each place was counted. */
export type Tally = Map<number, number>
export type ReadonlyTally = ReadonlyMap<number, number>

function count(tally: Tally, place: number, times: number): void {
  tally.set(place, (tally.get(place) ?? 0) + times)
}

export function addTally(tally: Tally, other: ReadonlyTally): void {
  for (const [place, times] of other) count(tally, place, times)
}

const [ZERO, TIMES, COMMA] = ['0', '*', ','].map((sign) => sign.charCodeAt(0)) as [number, number, number]

/**
 * Counts are written one behind the other: a comma and a place for each, and behind it `*` and how often where that is not
 * once. A place may come again, so that two such texts one behind the other are their sum.
 */
function eachCount(
  text: string,
  from: number,
  to: number,
  each: (place: number, times: number) => void,
): void {
  let [place, value, counting] = [0, 0, false]
  for (let at = from + 1; at <= to; at++) {
    const code = at === to ? COMMA : text.charCodeAt(at)
    if (code === COMMA) {
      each(counting ? place : value, counting ? value : 1)
      value = 0
      counting = false
    } else if (code === TIMES) {
      place = value
      value = 0
      counting = true
    } else value = value * 10 + (code - ZERO)
  }
}

/** Adds the counts that are written between two places of a text. */
export function readCounts(tally: Tally, text: string, from = 0, to = text.length): void {
  if (from < to) eachCount(text, from, to, (place, times) => count(tally, place, times))
}

const written = (place: number, times: number): string => (times === 1 ? `,${place}` : `,${place}*${times}`)

/** @returns the counts as {@link readCounts} reads them */
export function writeCounts(tally: ReadonlyTally): string {
  return Array.from(tally, ([place, times]) => written(place, times)).join('')
}

/** Longer counts are summed up: most are of few attempts, which take less room as they come than it takes time to sum them. */
const LONG = 200

const sums = new Float64Array(PLACES)

/** @returns the same counts, in about as little room as they take */
export function compacted(counts: string): string {
  if (counts.length <= LONG) return counts
  sums.fill(0)
  eachCount(counts, 0, counts.length, (place, times) => {
    sums[place]! += times
  })
  let text = ''
  for (let place = 0; place < PLACES; place++) {
    const times = sums[place]!
    if (times > 0) text += written(place, times)
  }
  return text
}
