import { EVENTS } from '../support/events.ts'
import type { DialectName, NewEvent } from '../support/workspaces.ts'

/** Digits of a number at the end of a UUID. */
const DIGITS = 12

/** An event whose subject contains its number, so that receivers can identify it without its id. */
export function numbered(dialect: DialectName, number: number): NewEvent {
  const { common, make } = EVENTS[dialect]
  return make(common, `00000000-0000-4000-8000-${String(number).padStart(DIGITS, '0')}`)
}

/** @param body as a receiver gets it. @returns NaN when it is not a numbered event */
export const numberIn = (dialect: DialectName, body: string): number =>
  Number(EVENTS[dialect].subjectIn(body).slice(-DIGITS))
