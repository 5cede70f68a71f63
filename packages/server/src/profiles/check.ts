import type { JsonSchema } from '../core/catalog.ts'
import { parseDuration } from '../core/duration.ts'
import { type InputError, toInputError } from '../validation/inputErrors.ts'
import { LINEAR } from '../validation/linearPatterns.ts'
import { createValidators, type Validator } from '../validation/validators.ts'
import { checkRequests } from './checkRequests.ts'
import { checkSchema } from './checkSchema.ts'
import { COMMON_FIELDS, Envelope } from './envelope.ts'
import { camelCase } from './eventForm.ts'
import { Findings, repeats, step } from './findings.ts'
import { type ProfileDocument, ProfileSchema } from './format.ts'
import {
  type CatalogEntry,
  type EnvelopeMember,
  type Profile,
  profileOf,
  standardPrefixes,
} from './profile.ts'
import { fillTexts } from './texts.ts'

/** The result of checking a profile. Pointers are into the document. */
export interface ProfileCheck {
  /** What is wrong, and what is allowed. */
  readonly errors: readonly InputError[]
  /** Weak choices that work. */
  readonly warnings: readonly InputError[]
  /** `null`: there are errors. */
  readonly profile: Profile | null
}

/** For texts of examples. */
const SAMPLE = { 'workspace.slug': 'acme' }
const MOST_LEVELS = 64
/** Total bytes of constants in an envelope, which are in every body. */
const MOST_FIXED_BYTES = 16 * 1024
const LONGEST_WAIT = '30d'
const RESERVED = 'has a name that another member of the request body uses; choose another name'
const NO_MEMBER = 'is not a member of events; add it to /event/members'
const NO_SCOPE = 'must contain at least one scope; without one, every key could do this'

const fits = createValidators({ allowUnionTypes: true })(ProfileSchema)

/** Checks a document of any form. A large one takes up to a second. */
export function checkProfile(document: unknown): ProfileCheck {
  const steps = checkSteps(document)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** A profile that this or another release has checked; `null`: this release does not know its format. */
export function knownProfile(document: unknown): Profile | null {
  return fits(document) ? profileOf(document as ProfileDocument) : null
}

/** The same in steps, one for each event type, since schemas take most of the time. */
export function* checkSteps(document: unknown): Generator<undefined, ProfileCheck, undefined> {
  if (isDeeper(document, MOST_LEVELS)) {
    const message = `must not be nested more than ${MOST_LEVELS} levels deep`
    return { errors: [{ pointer: '', message }], warnings: [], profile: null }
  }
  if (!fits(document)) {
    // A mistake in the name of a member gives several errors: the one that says what names must be is kept.
    const mistakes = fits.errors!.filter(({ keyword }) => keyword !== 'propertyNames')
    const errors = mistakes.map((error) => toInputError(error, ''))
    return { errors, warnings: [], profile: null }
  }
  const found = new Findings()
  const profile = profileOf(document as ProfileDocument)
  checkIds(document as ProfileDocument, found)
  checkEvent(profile, found)
  checkEnvelope(profile, document as ProfileDocument, found)
  checkSearchable(profile, found)
  checkRequests(profile, found)
  checkPolicy(document as ProfileDocument, found)
  checkState(profile, found)
  checkAccess(profile, found)
  yield* checkCatalog(profile, found)
  const { errors, warnings } = found
  return { errors, warnings, profile: errors.length === 0 ? profile : null }
}

/** Not recursive: the document is not checked yet. */
function isDeeper(document: unknown, levels: number): boolean {
  let level: unknown[] = [document]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    )
  }
  return false
}

function checkIds({ ids }: ProfileDocument, found: Findings): void {
  if (ids?.prefixes === undefined) return
  if (ids.style === 'uuid') {
    found.error('/ids/prefixes', 'requires the style "prefixed"; remove it, or change the style')
    return
  }
  const prefixes = Object.entries({ ...standardPrefixes, ...ids.prefixes })
  for (const [i, prefix] of repeats(prefixes, ([, one]) => one))
    found.error(`/ids/prefixes/${prefixes[i]![0]}`, `must differ from the others; ${prefix} is used twice`)
}

/** A path must lead into the body: to a member of the envelope, or into its data. */
function checkSearchable({ envelope, searchable }: Profile, found: Findings): void {
  if (envelope === 'bare') return
  for (const [i, path] of searchable.entries()) {
    const holds = envelope.some(
      (member) =>
        path === member.path || path.startsWith(`${member.path}.`) || member.path.startsWith(`${path}.`),
    )
    if (!holds)
      found.error(`/searchable/${i}`, `is not a path in the body; begin with one of ${firstNames(envelope)}`)
  }
}

const firstNames = (envelope: readonly EnvelopeMember[]) =>
  [...new Set(envelope.map(({ path }) => path.split('.', 1)[0]))].join(', ')

function checkEvent({ event, catalog }: Profile, found: Findings): void {
  const { data, time, members } = event
  const taken = new Map([
    ['type', 'type'],
    ['id', 'id'],
  ])
  const take = (name: string, pointer: string) => {
    if (isInherited(name))
      found.error(
        pointer,
        `must not be ${name}, a built-in name of objects in some languages; choose another name`,
      )
    const other = taken.get(camelCase(name))
    if (other !== undefined)
      found.error(pointer, `has the same name as the member ${other}; choose another name`)
    taken.set(camelCase(name), name)
  }
  const compile = createValidators(LINEAR)
  take(data, '/event/data')
  take(time, '/event/time')
  for (const [name, { schema, required, example }] of Object.entries(members)) {
    const pointer = `/event/members${step(name)}`
    take(name, pointer)
    if ((COMMON_FIELDS as readonly string[]).includes(name))
      found.error(pointer, 'has a name that the envelope uses for something else; choose another name')
    const accepts = compiled(schema, compile, `${pointer}/schema`, found, { isPart: true })
    if (accepts === null) continue
    if (example !== undefined) checkFits(accepts, fillTexts(example, SAMPLE), `${pointer}/example`, found)
    else if (required && !catalog.types.every((type) => hasMember(type, name)))
      found.warning(pointer, 'has no example, so example events do not contain it')
  }
}

const hasMember = ({ members, example_members: examples }: CatalogEntry, name: string) =>
  Object.hasOwn(members ?? {}, name) || Object.hasOwn(examples ?? {}, name)

/** Whether all JavaScript objects have such a member, so that a program could mistake it for one of the data. */
const isInherited = (name: string) => name in {}

type Compile = ReturnType<typeof createValidators>

/** @returns `null` for an invalid JSON Schema */
function compiled(
  schema: JsonSchema,
  compile: Compile,
  pointer: string,
  found: Findings,
  options: { readonly isPart: boolean },
): Validator | null {
  if (!checkSchema(schema, pointer, found, options)) return null
  const validator = compile(schema)
  try {
    validator(null)
    return validator
  } catch (error) {
    found.error(pointer, `is not a JSON Schema of draft 2020-12: ${(error as Error).message}`)
    return null
  }
}

function checkFits(accepts: Validator, value: unknown, pointer: string, found: Findings): void {
  if (!accepts(value))
    for (const error of accepts.errors!.slice(0, 5)) found.errors.push(toInputError(error, pointer))
}

function checkEnvelope({ envelope, event }: Profile, document: ProfileDocument, found: Findings): void {
  if (document.envelope?.bare === false)
    found.error(
      '/envelope/bare',
      'must be true; to build the body from members, remove it and list them in /envelope/members',
    )
  if (document.envelope?.bare === true && document.envelope.members !== undefined)
    found.error(
      '/envelope',
      'must have either "bare" (the data is the body) or "members" (the body is built from members)',
    )
  if (envelope === 'bare') return
  const fields = [...COMMON_FIELDS, ...Object.keys(event.members)]
  const at = (i: number) => `/envelope/members/${i}`
  for (const [i, path] of repeats(envelope, (member) => member.path))
    found.error(`${at(i)}/path`, `must differ from the others; ${path} is used twice`)
  for (const [i, member] of envelope.entries()) checkMember(member, at(i), envelope, fields, found)
  const fixed = Buffer.byteLength(
    JSON.stringify(envelope.map(({ constant, otherwise }) => [constant, otherwise])),
  )
  if (fixed > MOST_FIXED_BYTES)
    found.error(
      '/envelope/members',
      `must have at most ${MOST_FIXED_BYTES} bytes of constants, because every body contains them`,
    )
  if (!envelope.some(({ field }) => field === 'data'))
    found.error('/envelope/members', 'must contain the data; add a member with "field": "data"')
}

function checkMember(
  { path, field, as, constant, otherwise }: EnvelopeMember,
  at: string,
  envelope: readonly EnvelopeMember[],
  fields: readonly string[],
  found: Findings,
): void {
  if ((field === null) === (constant === undefined)) found.error(at, 'must have either "field" or "constant"')
  if (field !== null && !fields.includes(field))
    found.error(`${at}/field`, `must be one of ${fields.join(', ')}`)
  if (as !== 'iso-ms' && field !== 'time')
    found.error(`${at}/as`, 'requires "field": "time"; remove it, or change the field')
  if (otherwise !== undefined && (field === null || (COMMON_FIELDS as readonly string[]).includes(field)))
    found.error(`${at}/otherwise`, 'is only for optional members, and this one is in every event; remove it')
  const holdsOthers = envelope.some((other) => other.path.startsWith(`${path}.`))
  if (holdsOthers && field !== 'data')
    found.error(
      `${at}/path`,
      `contains other members, so it must have "field": "data"; or choose another path`,
    )
}

function checkPolicy({ policy = {} }: ProfileDocument, found: Findings): void {
  const { timeout, waits, backoff } = policy
  const inRange = (text: string | undefined, pointer: string, least: string, most: string) => {
    const ms = text === undefined ? null : parseDuration(text)
    if (ms !== null && (ms < parseDuration(least)! || ms > parseDuration(most)!))
      found.error(pointer, `must be between ${least} and ${most}`)
  }
  inRange(timeout, '/policy/timeout', '100ms', '60s')
  for (const [i, wait] of (waits ?? []).entries()) inRange(wait, `/policy/waits/${i}`, '0s', LONGEST_WAIT)
  inRange(backoff?.first, '/policy/backoff/first', '1ms', LONGEST_WAIT)
  inRange(backoff?.longest, '/policy/backoff/longest', '1ms', LONGEST_WAIT)
  inRange(policy.secret_overlap, '/policy/secret_overlap', '0s', '365d')
  inRange(policy.disable_after ?? undefined, '/policy/disable_after', '1ms', '365d')
  inRange(policy.warn?.after, '/policy/warn/after', '10m', '24h')
  if (waits !== undefined && backoff !== undefined)
    found.error('/policy/backoff', 'cannot be combined with "waits"; remove one of the two')
}

/** An endpoint that can be disabled must show that, and it must be possible to enable it. */
function checkState({ webhook, policy, operations }: Profile, found: Findings): void {
  if (webhook.state) return
  const hint = 'because webhooks have no state; or set /webhook/state to true'
  if (policy.disableAfterMs !== null) found.error('/policy/disable_after', `must be null, ${hint}`)
  if (policy.gone === 'disable') found.error('/policy/gone', `must be end or retry, ${hint}`)
  if (operations.pause !== null) found.error('/operations/pause', `must be null, ${hint}`)
}

function checkAccess({ access, operations, policy }: Profile, found: Findings): void {
  const known = (scopes: readonly string[], pointer: string) => {
    for (const [i, scope] of scopes.entries())
      if (!access.keys.includes(scope))
        found.error(
          `${pointer}/${i}`,
          `must be one of the scopes in /access/keys, which are ${access.keys.join(', ')}`,
        )
  }
  for (const name of ['publish', 'read', 'create', 'change'] as const) {
    known(access[name], `/access/${name}`)
    if (access[name].length === 0) found.error(`/access/${name}`, NO_SCOPE)
  }
  if (access.contents !== null) known([access.contents], '/access/contents')
  for (const [name, operation] of Object.entries(operations))
    if (operation !== null) {
      known(operation.scopes, `/operations/${name}/scopes`)
      if (operation.scopes.length === 0) found.error(`/operations/${name}/scopes`, NO_SCOPE)
    }
  if (operations.bulk !== null && operations.replay === null)
    found.error('/operations/bulk', 'requires the operation "replay"; add it, or remove this')
  if (operations.bulk !== null && policy.exhausted !== 'dead')
    found.error('/operations/bulk', 'requires "exhausted": "dead" in the policy; add it, or remove this')
}

function* checkCatalog(profile: Profile, found: Findings): Generator<undefined, void, undefined> {
  const { catalog, test } = profile
  const { types, open } = catalog
  if (!open && types.length === 0)
    found.error(
      '/catalog',
      'must contain an event type, or have "open": true; otherwise nothing could be published',
    )
  for (const [i, type] of repeats(types, (entry) => entry.type))
    found.error(`/catalog/types/${i}/type`, `must differ from the others; ${type} is used twice`)
  const reserved = new Envelope(profile).reserved
  // One for all, since creating one takes longer than compiling all schemas.
  const compile = createValidators(LINEAR)
  for (const [i, entry] of types.entries()) {
    yield
    checkType(entry, profile, reserved, compile, `/catalog/types/${i}`, found)
  }
  checkTest(profile, reserved, found)
  const listed = types.find(({ type }) => type === test?.type)
  if (listed !== undefined && listed.subscribable !== false)
    found.error(
      '/test/type',
      'is a type that can also be published; choose another type, or set "subscribable": false for it',
    )
}

function checkTest({ test, event }: Profile, reserved: readonly string[], found: Findings): void {
  for (const name of Object.keys(test?.data ?? {}))
    if (reserved.includes(name)) found.error(`/test/data${step(name)}`, RESERVED)
  for (const name of Object.keys(test?.members ?? {}))
    if (!Object.hasOwn(event.members, name)) found.error(`/test/members${step(name)}`, NO_MEMBER)
}

function checkType(
  entry: CatalogEntry,
  { event }: Profile,
  reserved: readonly string[],
  compile: Compile,
  at: string,
  found: Findings,
): void {
  const { schema, example, members = {}, example_members: exampleMembers = {} } = entry
  const properties = Object.keys((schema?.properties as object | undefined) ?? {})
  for (const name of properties)
    if (reserved.includes(name)) found.error(`${at}/schema/properties${step(name)}`, RESERVED)
  const accepts =
    schema === undefined ? null : compiled(schema, compile, `${at}/schema`, found, { isPart: false })
  if (accepts !== null && example !== undefined) checkFits(accepts, example, `${at}/example`, found)
  else if (schema !== undefined && example === undefined)
    found.warning(at, 'has no example, so the documents and samples show an empty one')
  for (const [part, values] of Object.entries({ members, example_members: exampleMembers }))
    for (const name of Object.keys(values))
      if (!Object.hasOwn(event.members, name)) found.error(`${at}/${part}${step(name)}`, NO_MEMBER)
}
