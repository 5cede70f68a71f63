import { DAY_MS, HOUR_MS } from '../../../src/core/duration.ts'

/** A `Retry-After` header, and its meaning. */
export interface RetryAfter {
  readonly header: string
  /** From the end of the answer; 0 for an invalid value, or a date. Not capped. */
  readonly ms: number
  /** Its date, Unix ms. */
  readonly date: number | null
}

/** @param endedNow the sender's time when it had the answer @returns the requested wait, in ms */
export function askedBy({ ms, date }: RetryAfter, endedNow: number): number {
  return date === null ? ms : Math.max(date - endedNow, 0)
}

const NONSENSE = [
  '-5',
  'soon',
  '1e9',
  '3.5',
  '',
  '120, 240',
  '+60',
  '0x10',
  'Mon, 99 Foo 2026 25:61:61 GMT',
  'tomorrow',
]

/**
 * @param answeredAt Unix ms
 * @param speed how much shorter than by default all waits are
 */
export function drawRetryAfter(
  draw: (min: number, max: number, ...matter: readonly number[]) => number,
  answeredAt: number,
  speed: number,
): RetryAfter {
  switch (draw(0, 5, 10)) {
    case 0:
      return inSeconds(draw(0, Math.ceil(600 / speed), 11))
    case 1:
      return inSeconds(draw(Math.ceil(3600 / speed), (40 * 3600) / speed, 11))
    case 2:
      return inSeconds(99_999_999_999)
    case 3:
      return onDate(answeredAt + draw(-HOUR_MS, (12 * HOUR_MS) / speed, 11))
    case 4:
      return onDate(answeredAt + draw(20 * HOUR_MS, 9000 * DAY_MS, 11))
    default:
      return { header: NONSENSE[draw(0, NONSENSE.length - 1, 11)]!, ms: 0, date: null }
  }
}

function inSeconds(seconds: number): RetryAfter {
  return { header: String(seconds), ms: seconds * 1000, date: null }
}

/** Dates in this header have whole seconds. */
function onDate(at: number): RetryAfter {
  const date = new Date(Math.floor(at / 1000) * 1000)
  return { header: date.toUTCString(), ms: 0, date: date.getTime() }
}
