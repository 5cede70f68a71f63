import { nearestOf } from './config/nearest.ts'
import { isOfService } from './config/servicesValues.ts'
import { fileOfSecret, type Setting } from './config/setting.ts'
import { SETTINGS } from './settings.ts'

/** Only for `posthorn outbox relay`. */
const RELAY_KEYS = 'POSTHORN_OUTBOX_KEYS'
const PREFIX = 'POSTHORN_'
const VARIABLES = [
  ...Object.values(SETTINGS as Record<string, Setting<unknown>>).flatMap((setting) => [
    setting.variable,
    ...(setting.secret === undefined ? [] : [fileOfSecret(setting).variable]),
  ]),
  RELAY_KEYS,
]

/** Set for test runs, or by Kubernetes for services whose name begins with posthorn. */
const NO_SETTINGS = /^POSTHORN_(TEST|SIMULATION)_|_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/

/**
 * Finds misspelled settings, which would otherwise go unnoticed.
 * @param names of all variables that are set
 * @returns a line for each that looks like a setting and is not one
 */
export function unknownVariables(names: readonly string[]): string[] {
  return names
    .filter((name) => name.startsWith(PREFIX) && !NO_SETTINGS.test(name))
    .filter((name) => !VARIABLES.includes(name) && !isOfService(name))
    .map((name) => {
      const near = nearest(name)
      return `${name} is not a setting and is ignored${near === null ? '' : `; did you mean ${near}?`}`
    })
}

/** Compared without the prefix, which would make any two of them similar. */
function nearest(name: string): string | null {
  const near = nearestOf(
    name.slice(PREFIX.length),
    VARIABLES.map((variable) => variable.slice(PREFIX.length)),
  )
  return near === null ? null : PREFIX + near
}
