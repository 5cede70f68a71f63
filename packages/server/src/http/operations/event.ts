import { type TSchema, Type } from 'typebox'
import type { WorkspaceRef } from '../../core/dialect.ts'
import type { ServedProfile } from '../../profiles/compile.ts'
import { COMMON_FIELDS } from '../../profiles/envelope.ts'
import { type EnvelopeMember, isPrefixed } from '../../profiles/profile.ts'
import { headerShowing } from '../../profiles/requests.ts'
import type { StoredEvent } from '../../storage/rows.ts'
import type { Caller } from '../shared/caller.ts'
import type { ServiceContext } from '../shared/context.ts'
import { closed, eventTypeName, openObject, pathId, time } from '../shared/schemas.ts'
import { asIs } from './case.ts'
import { nullWithoutScope, titled } from './texts.ts'
import { eventTitle, listed, serviceTitle } from './words.ts'

const FITS = 'Valid under the schema of the type'

/** Members that the service puts among those of the data; none where the data stands alone. */
const addedNames = ({ envelope }: ServedProfile) => envelope.reserved.map((name) => `\`${name}\``)

/** What publishers send: members that an event must have, then the data, then what it may have. */
export const eventToPublish = (service: ServedProfile) => {
  const { profile } = service
  const { event } = profile
  const own = (required: boolean) =>
    Object.entries(event.members)
      .filter(([, member]) => member.required === required)
      .map(([name, { schema }]): [string, TSchema] => {
        const held = Type.Unsafe(schema as TSchema)
        return [name, required ? held : Type.Optional(held)]
      })
  const added = addedNames(service)
  const adds = added.length === 0 ? '' : ` The service adds ${listed(added)} to the body of the event.`
  const form = isPrefixed(profile)
    ? `Your own id: \`${profile.prefixes.event}\` and 1 to 64 letters, digits, \`_\` or \`-\`.`
    : 'Your own id, a UUID.'
  return asIs(
    closed(
      {
        type: eventTypeName,
        ...Object.fromEntries(own(true)),
        [event.data]: openObject(`${FITS}.${adds}`),
        ...Object.fromEntries(own(false)),
        [event.time]: Type.Optional(
          Type.String({ description: 'When the event happened, in RFC 3339. Default: when it is accepted.' }),
        ),
        id: Type.Optional(
          Type.String({
            description: `${form} It makes publishing idempotent for as long as events are kept.`,
          }),
        ),
      },
      { title: `${eventTitle(profile)}ToPublish` },
    ),
  )
}

export const eventParams = { id: pathId('The event.') }

/** A member of an event as it is shown: one of the body, or one that the body lacks. */
interface ShownMember {
  readonly name: string
  readonly schema: TSchema
  /** What keys get that see no contents; `null`: they get null. */
  readonly open: OpenValue | null
}

/**
 * Makes a value of what is known of an event beside its body. The body may be of an earlier version of the profile, in which
 * contents stand where something else stands now.
 */
type OpenValue = (facts: Facts) => unknown

interface Facts {
  readonly id: string
  readonly type: string
  readonly workspace: WorkspaceRef
  readonly body: Readonly<Record<string, unknown>>
}

const TIMES = {
  'iso-ms': () => time('When it happened.'),
  'unix-s': () => Type.Integer({ description: 'When it happened, in Unix seconds.' }),
  'unix-ms': () => Type.Integer({ description: 'When it happened, in Unix milliseconds.' }),
}

/** What anyone may see who may see that there is an event. */
const OPEN_FIELDS: readonly (string | null)[] = [null, ...COMMON_FIELDS.filter((field) => field !== 'data')]

/** Members of one object of the body, by the name that they stand under. */
function topMembers(envelope: readonly EnvelopeMember[]): ReadonlyMap<string, readonly EnvelopeMember[]> {
  const members = new Map<string, EnvelopeMember[]>()
  for (const member of envelope) {
    const name = member.path.split('.', 1)[0]!
    members.set(name, [...(members.get(name) ?? []), member])
  }
  return members
}

/** An event as the API shows it: its body, and before that the id and the type where the body lacks them. */
export class EventView {
  readonly #members: readonly ShownMember[]
  readonly #service: ServedProfile
  /** Members that the body lacks. */
  readonly #idName: string | null
  readonly #typeName: string | null
  /** Where the whole body stands; `null`: its members do. */
  readonly #bodyName: string | null

  constructor(service: ServedProfile) {
    this.#service = service
    const { profile } = service
    const { envelope } = profile
    const body = envelope === 'bare' ? new Map<string, readonly EnvelopeMember[]>() : topMembers(envelope)
    const holds = (field: string) => [...body.values()].some(([one]) => one!.field === field)
    const free = (name: string) => (body.has(name) ? `event_${name}` : name)
    this.#idName = holds('id') ? null : free('id')
    this.#typeName = holds('type') ? null : free('type')
    this.#bodyName = envelope === 'bare' ? profile.event.data : null
    this.#members = [
      ...(this.#idName === null ? [] : [shown(this.#idName, this.#idSchema(), ({ id }) => id)]),
      ...(this.#typeName === null ? [] : [shown(this.#typeName, eventTypeName, ({ type }) => type)]),
      ...(this.#bodyName === null ? [] : [this.#dataMember(this.#bodyName)]),
      ...[...body].map(([name, members]) => this.#memberOf(name, members)),
    ]
  }

  /** Whether the body names its event. */
  get bodyHasId(): boolean {
    return this.#idName === null
  }

  /** As the routes answer it. */
  schema(): TSchema {
    const members = this.#members.map(({ name, schema }): [string, TSchema] => [name, schema])
    return asIs(
      titled(this.#service, 'Event', eventTitle(this.#service.profile), Object.fromEntries(members)),
    )
  }

  /** Only the body. */
  bodySchema(): TSchema {
    const { profile } = this.#service
    const title = `${serviceTitle(profile)}Envelope`
    const description = 'A request body as webhooks receive it.'
    if (profile.envelope === 'bare') return asIs(Type.Unsafe({ ...openObject(description), title }))
    const members = [...topMembers(profile.envelope)].map(([name, of]): [string, TSchema] => [
      name,
      plainSchema(of),
    ])
    return asIs(Type.Object(Object.fromEntries(members), { title, description }))
  }

  json(ctx: ServiceContext, { workspace, visibility }: Caller, event: StoredEvent): object {
    const body = JSON.parse(event.body) as Readonly<Record<string, unknown>>
    const shownBody = this.#bodyName === null ? body : { [this.#bodyName]: body }
    const all = {
      ...(this.#idName === null ? {} : { [this.#idName]: ctx.engine.ids.event(workspace, event) }),
      ...(this.#typeName === null ? {} : { [this.#typeName]: event.type }),
      ...shownBody,
    }
    if (visibility.contents) return all
    const id = ctx.engine.ids.event(workspace, event)
    const facts = { id, type: event.type, workspace, body }
    return Object.fromEntries(
      this.#members.map(({ name, open }) => [name, open === null ? null : open(facts)]),
    )
  }

  #idSchema(): TSchema {
    const { profile } = this.#service
    const header = headerShowing(profile, 'id')
    const description = header === null ? 'The same in all requests of the event.' : `Sent as \`${header}\`.`
    return isPrefixed(profile)
      ? Type.String({ description, examples: [`${profile.prefixes.event}01k94jv3a6f2m8q0x5s7t9b1cd`] })
      : Type.String({ format: 'uuid', description })
  }

  #memberOf(name: string, members: readonly EnvelopeMember[]): ShownMember {
    const [first] = members
    const isLeaf = members.length === 1 && first!.path === name
    if (members.some(({ field }) => field === 'data')) return this.#dataMember(name)
    const open = openValueOf(members, name)
    if (!isLeaf) return this.#held(name, openObject('Part of the body.'), open)
    return this.#held(name, this.#leafSchema(first!), open)
  }

  #leafSchema(member: EnvelopeMember): TSchema {
    const { field, as, constant } = member
    switch (field) {
      case null:
        return Type.Unsafe({ const: constant })
      case 'id':
        return this.#idSchema()
      case 'type':
        return eventTypeName
      case 'time':
        return TIMES[as]()
      case 'workspace.id':
        return Type.String({
          ...(isPrefixed(this.#service.profile) ? {} : { format: 'uuid' }),
          description: 'The workspace that it belongs to.',
        })
      case 'workspace.slug':
      case 'workspace.name':
        return Type.String({ description: `The ${field.slice('workspace.'.length)} of the workspace.` })
      default:
        return this.#ownSchema(member)
    }
  }

  #ownSchema({ field, schema }: EnvelopeMember): TSchema {
    const given = this.#service.profile.event.members[field!]!.schema
    const { description } = given
    return Type.Unsafe({ ...(schema ?? given), ...(description === undefined ? {} : { description }) })
  }

  #dataMember(name: string): ShownMember {
    const { profile } = this.#service
    const added = addedNames(this.#service)
    const fits = added.length === 0 ? `${FITS}.` : `${FITS}, with ${listed(added)}.`
    const description = [fits, ...nullWithoutScope(profile)].join(' ')
    return this.#held(name, openObject(description), null)
  }

  /** What keys may get null for, unless it is open to all. */
  #held(name: string, schema: TSchema, open: OpenValue | null): ShownMember {
    if (open !== null || this.#service.profile.access.contents === null) return shown(name, schema, open)
    const { type } = schema as { readonly type?: string | readonly string[] }
    const types = type === undefined ? {} : { type: [...[type].flat(), 'null'] }
    return shown(name, Type.Unsafe({ ...schema, ...types }), null)
  }
}

const shown = (name: string, schema: TSchema, open: OpenValue | null): ShownMember => ({ name, schema, open })

/** @param path of what the value is for @returns `null`: contents are in it */
function openValueOf(members: readonly EnvelopeMember[], path: string): OpenValue | null {
  const [only] = members
  if (members.length === 1 && only!.path === path) return openLeafOf(only!)
  const names = [...new Set(members.map((member) => member.path.slice(path.length + 1).split('.', 1)[0]!))]
  const values = names.map((name) => {
    const inner = `${path}.${name}`
    const below = members.filter((member) => member.path === inner || member.path.startsWith(`${inner}.`))
    return [name, openValueOf(below, inner)] as const
  })
  if (values.some(([, value]) => value === null)) return null
  return (facts) => Object.fromEntries(values.map(([name, value]) => [name, value!(facts)]))
}

function openLeafOf({ field, constant, path }: EnvelopeMember): OpenValue | null {
  switch (field) {
    case null:
      return () => constant
    case 'id':
      return ({ id }) => id
    case 'type':
      return ({ type }) => type
    case 'time':
      return ({ body }) => timeAt(body, path)
    case 'workspace.id':
      return ({ workspace }) => workspace.publicId
    case 'workspace.slug':
      return ({ workspace }) => workspace.slug
    case 'workspace.name':
      return ({ workspace }) => workspace.name
    default:
      return null
  }
}

const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,12}Z$/

/** The time in a body, if a time is there. */
function timeAt(body: unknown, path: string): string | number | null {
  let value = body
  for (const name of path.split('.'))
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
  if (typeof value === 'number') return value
  return typeof value === 'string' && TIME.test(value) ? value : null
}

function plainSchema([first, ...others]: readonly EnvelopeMember[]): TSchema {
  const { field, path, as } = first!
  const holdsData = [first!, ...others].some((one) => one.field === 'data')
  if (holdsData || others.length > 0 || path.includes('.'))
    return openObject(holdsData ? `${FITS}.` : 'Part of the body.')
  if (field === 'type') return eventTypeName
  if (field === 'time' && as !== 'iso-ms') return Type.Integer()
  return field === null || !OPEN_FIELDS.includes(field) ? Type.Unknown() : Type.String()
}

const views = new WeakMap<ServedProfile, EventView>()

/** How the events of a service are shown. */
export function eventViewOf(service: ServedProfile): EventView {
  let view = views.get(service)
  if (view === undefined) {
    view = new EventView(service)
    views.set(service, view)
  }
  return view
}
