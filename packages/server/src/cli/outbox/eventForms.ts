import { existsSync } from 'node:fs'
import type { EventForm } from '../../outbox/eventForms.ts'
import { BUILT_IN } from '../../profiles/builtIn.ts'
import { isPrefixed, type Profile } from '../../profiles/profile.ts'
import { readProfile } from '../services/profileFile.ts'
import { SettingError } from '../settings.ts'

/**
 * The forms of events that the outbox accepts, from profiles.
 * @param profiles names of built-in services, or files
 * @throws SettingError when two profiles have events of the same form
 */
export function eventForms(profiles: readonly string[]): readonly EventForm[] {
  const forms = new Map<string, EventForm>()
  for (const form of profiles.map((name) => formOf(profileNamed(name)))) {
    const same = forms.get(form.data)
    if (same !== undefined && (same.time !== form.time || same.idPrefix !== form.idPrefix))
      throw new SettingError(
        `--profile: these profiles cannot share an outbox. Their events both have their data in "${form.data}", but different ids or times. Set up one outbox for each, with --schema`,
      )
    forms.set(form.data, form)
  }
  return [...forms.values()]
}

const formOf = (profile: Profile): EventForm => ({
  data: profile.event.data,
  time: profile.event.time,
  idPrefix: isPrefixed(profile) ? profile.prefixes.event : null,
})

function profileNamed(name: string): Profile {
  const builtIn = BUILT_IN.find((profile) => profile.name === name)
  if (builtIn !== undefined) return builtIn
  if (existsSync(name)) return readProfile(name).profile
  const names = BUILT_IN.map((profile) => profile.name).join(', ')
  throw new SettingError(`--profile: give one of ${names}, or a file with a profile (got ${name})`)
}
