import type { Remark } from '../../../../model/profile/places.ts'
import { nameIn } from '../../../../model/profile/profileText.ts'

/**
 * Errors in the name of a profile, which the service cannot check without knowing whether it is added or updated.
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
      : error(`must be ${edited}: the name of a service cannot be changed. To rename it, copy it.`)
  }
  return taken.includes(name) ? error(`must be unique: a service named ${name} already exists`) : []
}
