import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/core/duration.ts'
import type { Draws } from '../plans/draws.ts'
import { type Answer, answer, type RequestSeen } from './receivers.ts'
import { drawRetryAfter } from './retryAfters.ts'

/** A temporary fault of a receiver. */
interface Trouble {
  /** Milliseconds from the start of the simulation. */
  readonly from: number
  readonly to: number
  readonly kind: 'refusing' | 'erring' | 'hanging' | 'gone' | 'busy'
}

export interface Receiver {
  readonly character: Character
  /** In order of time. */
  readonly troubles: readonly Trouble[]
}

/** Share of each kind of receiver. */
const SHARES = {
  healthy: 0.55,
  slow: 0.06,
  flapping: 0.06,
  downForMinutes: 0.07,
  downForAnHour: 0.06,
  downForADay: 0.05,
  downForEver: 0.05,
  gone: 0.02,
  busy: 0.04,
  hanging: 0.04,
}

type Character = keyof typeof SHARES

const FOR_EVER = Number.POSITIVE_INFINITY
const DOWN = ['refusing', 'erring', 'erring', 'hanging'] as const

/** Random numbers for one receiver. */
type Draw = (min: number, max: number, ...matter: readonly number[]) => number

/**
 * @param lastsMs duration of the simulation
 * @param speed how much shorter than by default all waits are, and with them all faults
 */
export function drawReceiver(draws: Draws, receiver: number, lastsMs: number, speed = 1): Receiver {
  const character = characterOf(draws.of(1, receiver))
  const draw: Draw = (min, max, ...matter) => draws.between(min, max, 2, receiver, ...matter)
  const troubles = troublesOf(character, draw, lastsMs * speed)
  return {
    character,
    troubles: troubles.map(({ kind, from, to }) => ({ kind, from: from / speed, to: to / speed })),
  }
}

function characterOf(share: number): Character {
  let below = 0
  for (const [character, size] of Object.entries(SHARES)) {
    below += size
    if (share < below) return character as Character
  }
  return 'healthy'
}

function troublesOf(character: Character, draw: Draw, lastsMs: number): Trouble[] {
  const down = DOWN[draw(0, DOWN.length - 1, 1)]!
  const somewhen = draw(0, lastsMs, 2)
  const spell = (kind: Trouble['kind'], min: number, max: number): Trouble[] => [
    { from: somewhen, to: somewhen + draw(min, max, 3), kind },
  ]
  switch (character) {
    case 'healthy':
    case 'slow':
      return []
    case 'flapping':
      return flaps(down, draw, lastsMs)
    case 'downForMinutes':
      return spell(down, 2 * MINUTE_MS, 20 * MINUTE_MS)
    case 'downForAnHour':
      return spell(down, 40 * MINUTE_MS, 90 * MINUTE_MS)
    case 'downForADay':
      return spell(down, 20 * HOUR_MS, 28 * HOUR_MS)
    case 'downForEver':
      return [{ from: 0, to: FOR_EVER, kind: down }]
    case 'gone':
      return [{ from: somewhen, to: FOR_EVER, kind: 'gone' }]
    case 'busy':
      return spell('busy', HOUR_MS, DAY_MS)
    case 'hanging':
      return spell('hanging', MINUTE_MS, DAY_MS)
  }
}

/** Up and down in turns, for minutes each. */
function flaps(kind: Trouble['kind'], draw: Draw, lastsMs: number): Trouble[] {
  const troubles: Trouble[] = []
  let at = 0
  for (let i = 0; at < lastsMs; i++) {
    const from = at + draw(MINUTE_MS, 30 * MINUTE_MS, 4, i)
    const to = from + draw(MINUTE_MS, 30 * MINUTE_MS, 5, i)
    troubles.push({ from, to, kind })
    at = to
  }
  return troubles
}

export function answerOf(receiver: Receiver, draws: Draws, request: RequestSeen, speed = 1): Answer {
  const { receiver: number, event, at, now } = request
  const draw: Draw = (min, max, ...matter) => draws.between(min, max, 3, number, event, at, ...matter)
  const trouble = receiver.troubles.find(({ from, to }) => at >= from && at < to)
  const afterMs = draw(20, 300)
  switch (trouble?.kind) {
    case undefined:
      if (receiver.character === 'slow') return answer(200, draw(SECOND_MS, 9 * SECOND_MS))
      return answer([200, 201, 202, 204, 299][draw(0, 4, 1)]!, afterMs)
    case 'refusing':
      return answer('refused', 5)
    case 'erring':
      return answer([301, 400, 401, 404, 500, 502, 503][draw(0, 6, 1)]!, afterMs)
    case 'hanging':
      return answer('none', FOR_EVER)
    case 'gone':
      return answer(410, afterMs)
    case 'busy':
      return {
        status: [429, 503][draw(0, 1, 1)]!,
        afterMs,
        retryAfter: drawRetryAfter(draw, now + afterMs, speed),
      }
  }
}

/** Whether a receiver has no fault from one time to another, both in milliseconds from the start. */
export function upBetween({ troubles }: Receiver, from: number, to: number): boolean {
  return troubles.every((trouble) => trouble.to <= from || trouble.from > to)
}
