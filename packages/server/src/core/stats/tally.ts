import { COUNTERS } from './counters.ts'

/** The value of each counter. */
export type Tally = Map<number, number>
export type ReadonlyTally = ReadonlyMap<number, number>

function count(tally: Tally, counter: number, times: number): void {
  tally.set(counter, (tally.get(counter) ?? 0) + times)
}

export function addTally(tally: Tally, other: ReadonlyTally): void {
  for (const [counter, times] of other) count(tally, counter, times)
}

const [ZERO, TIMES, COMMA] = ['0', '*', ','].map((sign) => sign.charCodeAt(0)) as [number, number, number]

/**
 * Counts are written one after another: a comma and a counter, then `*` and the number if that is not 1. A counter may be
 * repeated, so that the concatenation of two such texts is their sum.
 */
function eachCount(
  text: string,
  from: number,
  to: number,
  each: (counter: number, times: number) => void,
): void {
  let [counter, value, counting] = [0, 0, false]
  for (let at = from + 1; at <= to; at++) {
    const code = at === to ? COMMA : text.charCodeAt(at)
    if (code === COMMA) {
      each(counting ? counter : value, counting ? value : 1)
      value = 0
      counting = false
    } else if (code === TIMES) {
      counter = value
      value = 0
      counting = true
    } else value = value * 10 + (code - ZERO)
  }
}

/** Adds the counts between two positions of a text. */
export function readCounts(tally: Tally, text: string, from = 0, to = text.length): void {
  if (from < to) eachCount(text, from, to, (counter, times) => count(tally, counter, times))
}

const written = (counter: number, times: number): string =>
  times === 1 ? `,${counter}` : `,${counter}*${times}`

/** @returns the counts in the form that {@link readCounts} reads */
export function writeCounts(tally: ReadonlyTally): string {
  return Array.from(tally, ([counter, times]) => written(counter, times)).join('')
}

/** Only longer texts are added up: most have few attempts, and adding them up would cost more time than it saves room. */
const LONG = 200

const sums = new Float64Array(COUNTERS)

/** @returns the same counts in about the shortest form */
export function compacted(counts: string): string {
  if (counts.length <= LONG) return counts
  sums.fill(0)
  eachCount(counts, 0, counts.length, (counter, times) => {
    sums[counter]! += times
  })
  let text = ''
  for (let counter = 0; counter < COUNTERS; counter++) {
    const times = sums[counter]!
    if (times > 0) text += written(counter, times)
  }
  return text
}
