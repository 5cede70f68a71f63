import { type TSchema, Type } from 'typebox'
import type { ServedProfile } from '../../profiles/compile.ts'
import type { Profile } from '../../profiles/profile.ts'
import { CREATE_PROBLEMS, KEY_PROBLEMS, type ProblemCode, problemResponses } from '../shared/problems.ts'
import { manualSendsText } from '../shared/rateLimit.ts'

/**
 * A closed object under a title, with the texts that the profile has for its members.
 * @param place names it in texts of profiles
 */
export function titled(
  { profile }: ServedProfile,
  place: string,
  title: string,
  members: Readonly<Record<string, TSchema>>,
) {
  const texts = Object.entries(members).map(([name, schema]) => {
    const description = profile.texts[`${place}.${name}`]
    return [name, description === undefined ? schema : { ...schema, description }]
  })
  return Type.Object(Object.fromEntries(texts) as Record<string, TSchema>, {
    additionalProperties: false,
    title,
  })
}

// For what `Visibility` hides. Each is a list, empty where the service hides nothing from keys.

export const nullWithoutScope = ({ access }: Profile): readonly string[] =>
  access.contents === null ? [] : [`Null for keys without the scope \`${access.contents}\`.`]

export const originWithoutScope = ({ access, words }: Profile): readonly string[] =>
  access.contents === null
    ? []
    : [
        `Keys without the scope \`${access.contents}\` see only the scheme and the host, unless they created the ${words.webhook}.`,
      ]

/** Text of the limit that tests and resends share; nothing where there is none. */
export function manualLimit(profile: Profile): readonly string[] {
  const perMinute = profile.limits.manual_sends_per_minute
  if (perMinute === null) return []
  return [`${manualSendsText(profile)} share a limit of ${perMinute} per minute for the whole workspace.`]
}

/** What an operation that sends at once can answer. @param own what it alone can */
export const manualSendProblems = ({ limits }: Profile, ...own: readonly ProblemCode[]) =>
  problemResponses(
    ...KEY_PROBLEMS,
    ...CREATE_PROBLEMS,
    'role_missing',
    ...own,
    'webhook_not_on',
    ...(limits.manual_sends_per_minute === null ? [] : (['rate_limited'] as const)),
    'quota_exceeded',
  )

/** What keys need beside the scope to see data. */
export const contentsNeed = ({ access, event }: Profile): string =>
  access.contents === null ? '' : `; \`${event.data}\` needs \`${access.contents}\` as well`
