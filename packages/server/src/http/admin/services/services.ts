import { type Static, Type } from 'typebox'
import { builtInDocument } from '../../../profiles/builtIn.ts'
import { incompatibilities } from '../../../profiles/compatibility.ts'
import type { ServedProfile } from '../../../profiles/compile.ts'
import type { Profile } from '../../../profiles/profile.ts'
import { parseStoredDocument } from '../../../profiles/storedDocument.ts'
import { checkProfileInTurns } from '../../../services/checkInTurns.ts'
import type { InputError } from '../../../validation/inputErrors.ts'
import { PROFILE_BODY_LIMIT_BYTES, PROFILE_JSON_LIMITS } from '../../shared/bodies/limits.ts'
import type { Context } from '../../shared/context.ts'
import { invalidRequest, notFound } from '../../shared/problems.ts'
import { closed, nullable, openObject, pathId, time } from '../../shared/schemas.ts'
import { isoTimeOrNull } from '../../shared/time.ts'

const remark = closed(
  {
    pointer: Type.String({
      description: 'Its place in the profile, an RFC 6901 pointer; empty: the whole profile.',
    }),
    message: Type.String({ description: 'What is wrong or not recommended, and what to do.' }),
  },
  { title: 'Remark' },
)

export const remarks = (description: string) => Type.Array(remark, { description })

const serviceMembers = {
  name: Type.String({ description: 'Identifies it in paths, and in `dialect` of a workspace.' }),
  title: Type.String({ description: 'Display name.' }),
  description: Type.String({ description: 'What the service does; can be empty.' }),
  built_in: Type.Boolean({
    description: 'Whether it comes with Posthorn. Such a service cannot be changed.',
  }),
  version: Type.Integer({
    description: 'Increases with each change, also if the service is removed and added again. 0: built in.',
  }),
  unsigned: Type.Boolean({
    description: 'Whether its requests are not signed, so that receivers cannot recognize forged ones.',
  }),
  types: Type.Integer({ description: 'Event types that its profile describes.' }),
  open: Type.Boolean({ description: 'Whether any well-formed event type can be published.' }),
  warnings: remarks('Choices in the profile that work but are not recommended.'),
  created_at: nullable(time('When it was added; null: it is built in.')),
  updated_at: nullable(time('When it last changed; null: it is built in.')),
}

export const ServiceSchema = closed(serviceMembers, { title: 'Service' })

export const ServiceWithProfileSchema = closed(
  {
    ...serviceMembers,
    profile: openObject('The profile as it was uploaded, see `/schemas/profile.json`.'),
    versions: Type.Array(
      closed({
        version: Type.Integer({ description: 'The version number.' }),
        made_at: time('When it was created.'),
      }),
      {
        description:
          'Earlier versions that are kept because requests in the delivery log were sent with them. Newest first.',
      },
    ),
  },
  { title: 'ServiceWithProfile' },
)

/** The body of what adds or changes one. */
export const profileBody = openObject(
  'A profile, valid under `/schemas/profile.json`. Omitted members default to those of the profile `standard`.',
)

/** Options of routes that take a profile. */
export const PROFILE_ROUTE = {
  bodyLimit: PROFILE_BODY_LIMIT_BYTES,
  config: { jsonLimits: PROFILE_JSON_LIMITS },
}

export const serviceParams = closed({ id: pathId('The service, by its name.') })

/** @throws Problem `not_found` */
export function findService({ dialects }: Context, name: string): ServedProfile {
  const service = dialects.get(name)
  if (service === undefined) throw notFound('service')
  return service
}

export function serviceJson(ctx: Context, service: ServedProfile): Static<typeof ServiceSchema> {
  const { name, version, profile } = service
  const stored = ctx.services.stored.get(name)
  return {
    name,
    title: profile.title,
    description: profile.description,
    built_in: version === 0,
    version,
    unsigned: profile.unsigned,
    types: profile.catalog.types.length,
    open: profile.catalog.open,
    warnings: [...(stored?.warnings ?? [])],
    created_at: isoTimeOrNull(stored?.createdAt ?? null),
    updated_at: isoTimeOrNull(stored?.updatedAt ?? null),
  }
}

/** The profile of a service in its source form. @throws Problem `not_found` when it was removed or changed in the meantime */
export async function documentOf(
  { storage }: Context,
  { name, version }: ServedProfile,
): Promise<Readonly<Record<string, unknown>>> {
  const builtIn = builtInDocument(name)
  if (builtIn !== null) return builtIn as Readonly<Record<string, unknown>>
  const document = await storage.profiles.getProfileDocument({ name, version })
  if (document === null) throw notFound('service')
  return parseStoredDocument(document) as Readonly<Record<string, unknown>>
}

/** Names that documents and paths of Posthorn itself use. */
const RESERVED_NAMES = ['admin', 'console', 'check']

/** Reasons why a profile cannot be added or replace the service of its name. */
export function obstacles(
  profile: Profile,
  expectedName: string | null,
  replaced: ServedProfile | null,
): readonly InputError[] {
  const { name } = profile
  const nameIs = (message: string) => [{ pointer: '/name', message }]
  if (RESERVED_NAMES.includes(name))
    return nameIs(`must not be ${name}, which Posthorn itself uses; use another name`)
  if (builtInDocument(name) !== null)
    return nameIs(
      `must not be ${name}, a built-in service that cannot be changed; copy its profile and use another name`,
    )
  if (expectedName !== null && expectedName !== name)
    return nameIs(`must be ${expectedName}, as in the path; the name of a service cannot be changed`)
  return replaced === null ? [] : incompatibilities(replaced.profile, profile)
}

/**
 * @param name of the service, if it is in the path
 * @returns the profile in a body
 * @throws Problem that lists every mistake
 */
export async function readProfile(
  body: unknown,
  name: string | null,
  replaced: ServedProfile | null,
): Promise<Profile> {
  const { profile, errors } = await checkProfileInTurns(body)
  if (profile === null) throw invalidRequest(errors)
  const wrong = obstacles(profile, name, replaced)
  if (wrong.length > 0) throw invalidRequest(wrong)
  return profile
}
