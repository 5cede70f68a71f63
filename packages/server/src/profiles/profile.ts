import { DAY_MS, parseDuration } from '../core/duration.ts'
import type { EarlyPolicy } from '../core/health.ts'
import type { ProfileDocument, TIME_FORMS } from './format.ts'
import type { ID_KINDS, IdKind } from './formatParts.ts'
import { standardDocument } from './standard.ts'

export type TimeForm = (typeof TIME_FORMS)[number]

/** One member of a body. */
export interface EnvelopeMember {
  readonly path: string
  /** Its field; `null`: a constant. */
  readonly field: string | null
  readonly as: TimeForm
  readonly constant: unknown
  /** Its value in events without the member; `undefined`: it is left out. */
  readonly otherwise: unknown
  /** Its description in documents; `null`: the usual text. */
  readonly description: string | null
  /** Its form for receivers, for documents; `null`: as publishers send it. */
  readonly schema: Readonly<Record<string, unknown>> | null
}

type Part<Name extends keyof ProfileDocument> = Required<NonNullable<ProfileDocument[Name]>>

interface GivenMember {
  readonly schema: Readonly<Record<string, unknown>>
  readonly required: boolean
  /** In made-up events; `undefined`: it is left out. */
  readonly example: unknown
}

export type SignatureScheme = NonNullable<ProfileDocument['signatures']>[number]
export type CatalogEntry = NonNullable<NonNullable<ProfileDocument['catalog']>['types']>[number]

export interface Resending {
  readonly scopes: readonly string[]
  readonly from: readonly ('delivered' | 'failed' | 'dead' | 'canceled')[]
  readonly attempts: 'one' | 'schedule'
}

interface Operation {
  readonly scopes: readonly string[]
}

/** Operations that not all services have; `null`: it does not exist. */
interface Operations {
  readonly test: Operation | null
  readonly pause: Operation | null
  readonly redeliver: Resending | null
  readonly replay: Resending | null
  readonly bulk: Operation | null
  readonly retry: Operation | null
  readonly recover: (Operation & Pick<Resending, 'attempts'> & { readonly missed: boolean }) | null
}

/** When and how often requests are sent. Durations in milliseconds. */
interface ProfilePolicy {
  readonly timeoutMs: number
  readonly waitsMs: readonly number[]
  readonly jitter: number
  readonly honorsRetryAfter: boolean
  readonly gone: 'disable' | 'end' | 'retry'
  readonly exhausted: 'failed' | 'dead'
  /** `null`: never. */
  readonly disableAfterMs: number | null
  /** `null`: there are no early warnings. */
  readonly warn: EarlyPolicy | null
  readonly secretOverlapMs: number
  readonly pause: 'skip' | 'hold'
}

/** A service: what it publishes, and how its requests look. Every member of the document is filled in. */
export interface Profile {
  readonly name: string
  readonly title: string
  readonly description: string
  /** `null`: UUIDs. */
  readonly prefixes: Readonly<Record<IdKind, string>> | null
  readonly case: 'snake' | 'camel'
  readonly words: Part<'words'>
  readonly paths: 'workspace' | 'flat'
  readonly webhook: { readonly allTypes: boolean; readonly state: boolean }
  readonly event: {
    readonly data: string
    readonly time: string
    readonly members: Readonly<Record<string, GivenMember>>
  }
  readonly envelope: 'bare' | readonly EnvelopeMember[]
  /** Whether receivers are promised that no members are added. */
  readonly envelopeClosed: boolean
  readonly headers: Readonly<Record<string, string>>
  readonly signatures: readonly SignatureScheme[]
  /** Whether the profile declares that requests are not signed. */
  readonly unsigned: boolean
  readonly secret: Part<'secret'>
  readonly policy: ProfilePolicy
  readonly access: Part<'access'>
  readonly operations: Operations
  /** Paths into the body. */
  readonly searchable: readonly string[]
  readonly limits: Part<'limits'>
  readonly test: NonNullable<ProfileDocument['test']> | null
  readonly catalog: { readonly open: boolean; readonly types: readonly CatalogEntry[] }
  readonly compatibility: 'locked' | 'none'
  /** Texts that replace the usual ones in documents, by their place. */
  readonly texts: Readonly<Record<string, string>>
}

/** Whether its ids have prefixes; others are UUIDs. */
export const isPrefixed = (
  profile: Profile,
): profile is Profile & { readonly prefixes: NonNullable<Profile['prefixes']> } => profile.prefixes !== null

type Filled = Required<Omit<ProfileDocument, '$schema' | 'description' | 'texts' | 'searchable'>>
const standard = standardDocument as unknown as Filled

/** Fills in the defaults of a document, which must be valid. */
export function profileOf(document: ProfileDocument): Profile {
  const { name, title, description = '' } = document
  const operations = operationsOf(document)
  const event = { ...standard.event, ...document.event }
  // A catalog is closed unless the profile says otherwise: a typo must not create a type.
  const catalog = document.catalog ?? standard.catalog
  return {
    name,
    title,
    description,
    prefixes: prefixesOf(document),
    case: document.case ?? standard.case,
    words: { ...(standard.words as Part<'words'>), ...document.words },
    paths: document.paths ?? standard.paths,
    webhook: {
      allTypes: document.webhook?.all_types ?? standard.webhook.all_types!,
      state: document.webhook?.state ?? standard.webhook.state!,
    },
    event: {
      data: event.data!,
      time: event.time!,
      members: Object.fromEntries(
        Object.entries(event.members ?? {}).map(([member, { schema, required = false, example }]) => [
          member,
          { schema, required, example },
        ]),
      ),
    },
    envelope: envelopeOf(document.envelope ?? standard.envelope),
    envelopeClosed: document.envelope?.closed ?? false,
    headers: document.headers ?? standard.headers,
    signatures: document.signatures ?? standard.signatures,
    unsigned: document.unsigned ?? false,
    secret: { ...(standard.secret as Part<'secret'>), ...document.secret },
    policy: policyOf({ ...standard.policy, ...document.policy }),
    access: { ...(standard.access as Part<'access'>), ...document.access },
    operations,
    searchable: document.searchable ?? usualMembers(document.envelope ?? standard.envelope),
    limits: { ...(standard.limits as Part<'limits'>), ...document.limits },
    test: operations.test === null || document.test === null ? null : (document.test ?? standard.test),
    catalog: { open: catalog.open ?? false, types: catalog.types ?? [] },
    compatibility: document.compatibility ?? 'locked',
    texts: document.texts ?? {},
  }
}

/** Of what has no prefix of its own. */
export const standardPrefixes = standard.ids.prefixes as Readonly<Record<(typeof ID_KINDS)[number], string>>

function prefixesOf({ ids }: ProfileDocument): Profile['prefixes'] {
  if (ids?.style === 'uuid') return null
  return { ...standardPrefixes, ...ids?.prefixes }
}

/** The default members for search; `wordsIn` expands the stars. Lists may have many ids, so ids in lists come last. */
const USUAL_MEMBERS = ['id', '*_id', '*Id', 'name', 'title', '*.id']

function usualMembers({ members = [] }: NonNullable<ProfileDocument['envelope']>): readonly string[] {
  const data = members.find(({ field }) => field === 'data')
  return USUAL_MEMBERS.map((name) => (data === undefined ? name : `${data.path}.${name}`))
}

function envelopeOf({ bare, members }: NonNullable<ProfileDocument['envelope']>): Profile['envelope'] {
  if (bare === true) return 'bare'
  return (members ?? []).map(
    ({ path, field = null, as = 'iso-ms', constant, otherwise, description = null, schema = null }) => ({
      path,
      field,
      as,
      constant,
      otherwise,
      description,
      schema,
    }),
  )
}

function policyOf(policy: NonNullable<ProfileDocument['policy']>): ProfilePolicy {
  const { disable_after: disableAfter } = policy
  return {
    timeoutMs: parseDuration(policy.timeout!)!,
    waitsMs:
      policy.backoff === undefined
        ? policy.waits!.map((wait) => parseDuration(wait)!)
        : growing(policy.backoff),
    jitter: policy.jitter!,
    honorsRetryAfter: policy.retry_after!,
    gone: policy.gone!,
    exhausted: policy.exhausted!,
    disableAfterMs: disableAfter === null ? null : parseDuration(disableAfter!),
    warn: warnOf(policy.warn),
    secretOverlapMs: parseDuration(policy.secret_overlap!)!,
    pause: policy.pause!,
  }
}

/** What a profile says of early warnings, with what it leaves out. */
function warnOf(warn: NonNullable<ProfileDocument['policy']>['warn']): EarlyPolicy | null {
  if (warn == null) return null
  const { failures = 5, share = 0.5, deliveries = 10, after = '10m' } = warn
  return { failures, share, deliveries, afterMs: parseDuration(after)! }
}

function growing({
  first,
  factor,
  longest,
  attempts,
}: NonNullable<NonNullable<ProfileDocument['policy']>['backoff']>): number[] {
  const firstMs = parseDuration(first)!
  const longestMs = Math.min(parseDuration(longest)!, 30 * DAY_MS)
  return Array.from({ length: attempts - 1 }, (_, i) =>
    Math.round(Math.min(firstMs * factor ** i, longestMs)),
  )
}

function operationsOf(document: ProfileDocument): Operations {
  const asked = { ...standard.operations, ...document.operations }
  const { change } = { ...(standard.access as Part<'access'>), ...document.access }
  const plain = (one: { readonly scopes?: readonly string[] } | null | undefined) =>
    one == null ? null : { scopes: one.scopes ?? change }
  const resending = (one: NonNullable<ProfileDocument['operations']>['redeliver']): Resending | null =>
    one == null
      ? null
      : {
          scopes: one.scopes ?? change,
          from: one.from ?? ['delivered', 'failed', 'dead', 'canceled'],
          attempts: one.attempts ?? 'one',
        }
  return {
    test: plain(asked.test),
    pause: plain(asked.pause),
    redeliver: resending(asked.redeliver),
    replay: resending(asked.replay),
    bulk: plain(asked.bulk),
    retry: plain(asked.retry),
    recover:
      asked.recover == null
        ? null
        : {
            scopes: asked.recover.scopes ?? change,
            attempts: asked.recover.attempts ?? 'schedule',
            missed: asked.recover.missed === 'recoverable',
          },
  }
}
