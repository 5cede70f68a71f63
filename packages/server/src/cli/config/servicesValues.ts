import { positiveDuration, waits } from '../settingValues.ts'
import { type Given, labelOf } from './source.ts'

const OF_SERVICE = /^POSTHORN_([A-Z][A-Z0-9_]*)_(RETRY|TIMEOUT)$/

/** Whether a variable is a setting that exists for every service. */
export const isOfService = (variable: string): boolean => OF_SERVICE.test(variable)

/** Settings of services, by variable. Their profiles may be added later. */
export interface ServicesValues {
  /** In ms. */
  readonly waits: ReadonlyMap<string, readonly number[]>
  /** In ms. */
  readonly timeouts: ReadonlyMap<string, number>
}

/** @param mistakes receives a line for each variable that cannot be used */
export function parseServicesValues(given: ReadonlyMap<string, Given>, mistakes: string[]): ServicesValues {
  const values = { waits: new Map<string, readonly number[]>(), timeouts: new Map<string, number>() }
  for (const [variable, { text, source }] of given) {
    try {
      if (variable.endsWith('_RETRY')) values.waits.set(variable, waits(text))
      else values.timeouts.set(variable, positiveDuration(text))
    } catch (error) {
      mistakes.push(`${labelOf(variable, source)}: ${(error as Error).message}`)
    }
  }
  return values
}
