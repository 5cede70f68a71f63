import { parseJson } from '../core/body.ts'
import type { JsonObject, TypesOf, UnlistedEventType } from '../events/catalog.ts'
import { checkMember, checkObject, ISO_TIME, type MemberRule, OBJECT, TEXT } from '../events/envelope.ts'
import type { EnvelopeMember, ProfileParts } from './parts.ts'

/**
 * An event as the envelope of its profile has it. `null`: the envelope does not have it, and for the id, the type and the
 * slug no header has it either.
 */
export interface ProfileEnvelope<Type extends string | null, Data> {
  readonly id: string | null
  readonly type: Type
  /** When it happened. */
  readonly occurredAt: Date | null
  readonly data: Data
  readonly workspace: {
    readonly id: string | null
    readonly slug: string | null
    readonly name: string | null
  }
  /** Members that are particular to the service, by the names that publishers give them. */
  readonly members: JsonObject
  /** The whole body. */
  readonly body: JsonObject
}

/** An event of a profile without a catalog. */
export type AnyProfileEvent = ProfileEnvelope<string | null, JsonObject | null>

/**
 * An event of a catalog. Compare `type` to narrow `data`. The envelope is checked; the members of `data` are typed by the
 * catalog and vouched for by the signature.
 */
export type ProfileEvent<Catalog, UnlistedData = JsonObject> =
  | { [Type in TypesOf<Catalog>]: ProfileEnvelope<Type, Catalog[Type]> }[TypesOf<Catalog>]
  | ProfileEnvelope<UnlistedEventType, UnlistedData>

const ANY_TEXT: MemberRule = [(value) => typeof value === 'string', 'a string']
const UNIX_S: MemberRule = [isUnixTime(1000), 'whole Unix seconds']
const UNIX_MS: MemberRule = [isUnixTime(1), 'whole Unix milliseconds']

/** @param unitMs milliseconds in one unit */
function isUnixTime(unitMs: number): (value: unknown) => boolean {
  return (value) =>
    Number.isSafeInteger(value) && !Number.isNaN(new Date((value as number) * unitMs).getTime())
}

type TimeForm = NonNullable<EnvelopeMember['as']>

const TIMES: Readonly<Record<TimeForm, { readonly rule: MemberRule; readonly unitMs: number }>> = {
  'iso-ms': { rule: ISO_TIME, unitMs: 1 },
  'unix-s': { rule: UNIX_S, unitMs: 1000 },
  'unix-ms': { rule: UNIX_MS, unitMs: 1 },
}

const COMMON_FIELDS = ['id', 'type', 'time', 'data', 'workspace.id', 'workspace.slug', 'workspace.name']

/**
 * Reads bodies of a profile.
 *
 * @returns throws `body_not_utf8`, `body_not_json` or `envelope_invalid`
 */
export function bodyReader(envelope: ProfileParts['envelope']): (bytes: Uint8Array) => AnyProfileEvent {
  if ('bare' in envelope) return (bytes) => ({ ...NOTHING, ...dataAsBody(bytes) })
  const { members } = envelope
  const place = (field: string) => members.find((member) => member.field === field)
  const text = (field: string, rule = TEXT) => reader<string>(place(field), rule)
  const [id, type] = [text('id'), text('type')]
  const workspace = [text('workspace.id'), text('workspace.slug'), text('workspace.name', ANY_TEXT)] as const
  const { rule, unitMs } = TIMES[place('time')?.as ?? 'iso-ms']
  const time = reader<string | number>(place('time'), rule)
  const data = reader<JsonObject>(place('data'), OBJECT)
  const beside = namesBeside(members, place('data')?.path)
  const others = members.filter(({ field }) => field !== undefined && !COMMON_FIELDS.includes(field))
  return (bytes) => {
    const body = objectOf(bytes)
    return {
      id: id(body),
      type: type(body),
      occurredAt: dateOf(time(body), unitMs),
      data: without(data(body), beside),
      workspace: { id: workspace[0](body), slug: workspace[1](body), name: workspace[2](body) },
      members: membersOf(others, body),
      body,
    }
  }
}

const NOTHING = {
  id: null,
  type: null,
  occurredAt: null,
  workspace: { id: null, slug: null, name: null },
  members: {},
}

function dataAsBody(bytes: Uint8Array): { readonly data: JsonObject; readonly body: JsonObject } {
  const body = objectOf(bytes)
  return { data: body, body }
}

function objectOf(bytes: Uint8Array): JsonObject {
  const body = parseJson(bytes)
  checkObject(body)
  return body
}

function reader<Value>(
  member: EnvelopeMember | undefined,
  rule: MemberRule,
): (body: JsonObject) => Value | null {
  if (member === undefined) return () => null
  const { path } = member
  return (body) => {
    const value = valueAt(body, path)
    checkMember(path, rule, value)
    return value as Value
  }
}

/** @returns `undefined`: it is not there */
function valueAt(body: JsonObject, path: string): unknown {
  let value: unknown = body
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as JsonObject)[name]
  }
  return value
}

function dateOf(time: string | number | null, unitMs: number): Date | null {
  return time === null ? null : new Date(typeof time === 'string' ? time : time * unitMs)
}

/** The members that the sender adds to the data. */
function namesBeside(members: readonly EnvelopeMember[], path: string | undefined): ReadonlySet<string> {
  const inside = members.filter((member) => path !== undefined && member.path.startsWith(`${path}.`))
  return new Set(inside.map((member) => member.path.split('.')[path!.split('.').length]!))
}

function without(data: JsonObject | null, names: ReadonlySet<string>): JsonObject | null {
  if (data === null || names.size === 0) return data
  return Object.fromEntries(Object.entries(data).filter(([name]) => !names.has(name)))
}

function membersOf(members: readonly EnvelopeMember[], body: JsonObject): JsonObject {
  const found = members.map(({ field, path }) => [field!, valueAt(body, path)] as const)
  return Object.fromEntries(found.filter(([, value]) => value !== undefined))
}
