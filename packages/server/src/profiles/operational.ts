import document from '../../profiles/operational.json' with { type: 'json' }
import { type ServedProfile, serviceOf } from './compile.ts'
import type { ProfileDocument } from './format.ts'
import { profileOf } from './profile.ts'

/**
 * The events of operational webhooks. No profile of an operator can have this name, and it is in no list of services: only
 * Posthorn publishes under it.
 */
export const operationalService: ServedProfile = serviceOf(
  profileOf(document as unknown as ProfileDocument),
  {},
)
