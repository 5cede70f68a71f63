import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts'

/** A `Retry-After` header, and what it asks for. */
export interface RetryAfter {
  readonly header: string
  /** From the end of the answer; 0 for what makes no sense. Not capped. */
  readonly asksMs: number
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

/** @param answeredAt Unix ms */
export function drawRetryAfter(
  draw: (min: number, max: number, ...matter: readonly number[]) => number,
  answeredAt: number,
): RetryAfter {
  switch (draw(0, 5, 10)) {
    case 0:
      return inSeconds(draw(0, 600, 11))
    case 1:
      return inSeconds(draw(3600, 40 * 3600, 11))
    case 2:
      return inSeconds(99_999_999_999)
    case 3:
      return onDate(answeredAt + draw(-HOUR_MS, 12 * HOUR_MS, 11), answeredAt)
    case 4:
      return onDate(answeredAt + draw(20 * HOUR_MS, 9000 * DAY_MS, 11), answeredAt)
    default:
      return { header: NONSENSE[draw(0, NONSENSE.length - 1, 11)]!, asksMs: 0 }
  }
}

function inSeconds(seconds: number): RetryAfter {
  return { header: String(seconds), asksMs: seconds * 1000 }
}

/** Dates in this header have whole seconds. */
function onDate(at: number, answeredAt: number): RetryAfter {
  const date = new Date(Math.floor(at / 1000) * 1000)
  return { header: date.toUTCString(), asksMs: date.getTime() - answeredAt }
}
