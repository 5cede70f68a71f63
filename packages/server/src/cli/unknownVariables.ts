import leven from 'leven'
import { isOfService } from './serviceSettings.ts'
import { SETTINGS } from './settings.ts'

/** Of `posthorn outbox relay` alone. */
const RELAY_KEYS = 'POSTHORN_OUTBOX_KEYS'
const VARIABLES = [...Object.values(SETTINGS).map(({ variable }) => variable), RELAY_KEYS]
const PREFIX = 'POSTHORN_'

/** Set for test runs, or by Kubernetes for services whose name begins with posthorn. */
const NO_SETTINGS = /^POSTHORN_(TEST|SIMULATION)_|_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/

/** More edits than these make another name, as do edits of more than half of it. */
const MAX_EDITS = 3

/**
 * Looks for settings that were misspelt and would go unnoticed.
 * @param names of all variables that are set
 * @returns a line for each that begins like a setting and is none
 */
export function unknownVariables(names: readonly string[]): string[] {
  return names
    .filter((name) => name.startsWith(PREFIX) && !NO_SETTINGS.test(name))
    .filter((name) => !VARIABLES.includes(name) && !isOfService(name))
    .map((name) => {
      const near = nearest(name)
      return `${name} is no setting and is ignored${near === null ? '' : `; did you mean ${near}?`}`
    })
}

function nearest(name: string): string | null {
  const [best] = VARIABLES.map((variable) => ({ variable, edits: leven(name, variable) })).sort(
    (a, b) => a.edits - b.edits,
  )
  const length = name.length - PREFIX.length
  return best !== undefined && best.edits <= Math.min(MAX_EDITS, length / 2) ? best.variable : null
}
