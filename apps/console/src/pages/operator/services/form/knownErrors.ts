import type { Remark } from '../../../../model/profile/places.ts'
import { nameIn } from '../../../../model/profile/profileText.ts'

/**
 * What is wrong with the name in a profile. A check does not know whether the profile is to be added or to replace another.
 * @param edited the service that is edited; `null`: it is new
 * @param taken names of services that operators added
 */
export function nameErrors(text: string, edited: string | null, taken: readonly string[]): readonly Remark[] {
  const name = nameIn(text)
  if (name === null) return []
  const error = (message: string): Remark[] => [{ kind: 'error', pointer: '/name', message }]
  if (edited !== null) {
    return name === edited
      ? []
      : error(`must stay ${edited}: a service keeps its name. To rename it, copy it.`)
  }
  return taken.includes(name) ? error(`must be another: there is a service ${name} already`) : []
}
