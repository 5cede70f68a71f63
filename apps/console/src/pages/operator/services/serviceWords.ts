import type { Service } from '../../../api/services.ts'
import { counted } from '../../../model/numbers.ts'

/** Warning about services whose requests are not signed. */
export const UNSIGNED = 'Receivers cannot distinguish its requests from forged ones.'

export const versionText = ({ built_in, version }: Pick<Service, 'built_in' | 'version'>): string =>
  built_in ? 'built in' : `version ${version}`

/** "12 event types", "any event type, 3 described". */
export function typesText({ types, open }: Pick<Service, 'types' | 'open'>): string {
  if (!open) return counted(types, 'event type')
  return types === 0 ? 'any event type' : `any event type, ${types} described`
}
