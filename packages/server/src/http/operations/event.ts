import { type TSchema, Type } from 'typebox'
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

const FITS = 'Fits the schema of the type'

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
  const adds =
    added.length === 0 ? '' : ` The service adds ${listed(added)} when it composes the event's body.`
  const form = isPrefixed(profile)
    ? `An id of your own: \`${profile.prefixes.event}\` and 1 to 64 letters, digits, \`_\` or \`-\`.`
    : 'An id of your own, a UUID.'
  return asIs(
    closed(
      {
        type: eventTypeName,
        ...Object.fromEntries(own(true)),
        [event.data]: openObject(`${FITS}.${adds}`),
        ...Object.fromEntries(own(false)),
        [event.time]: Type.Optional(
          Type.String({ description: 'When it happened, RFC 3339; when it is accepted, if left out.' }),
        ),
        id: Type.Optional(
          Type.String({
            description: `${form} Publishing it again is then safe for as long as events are kept.`,
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
  /** Whether keys that see no contents get null for it. */
  readonly hidden: boolean
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
      ...(this.#idName === null ? [] : [shown(this.#idName, this.#idSchema())]),
      ...(this.#typeName === null ? [] : [shown(this.#typeName, eventTypeName)]),
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

  /** A body alone. */
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
    const hidden = visibility.contents ? [] : this.#members.filter((member) => member.hidden)
    return { ...all, ...Object.fromEntries(hidden.map(({ name }) => [name, null])) }
  }

  #idSchema(): TSchema {
    const { profile } = this.#service
    const header = headerShowing(profile, 'id')
    const description =
      header === null ? 'The same in everything that is sent of it.' : `Sent as \`${header}\`.`
    return isPrefixed(profile)
      ? Type.String({ description, examples: [`${profile.prefixes.event}01k94jv3a6f2m8q0x5s7t9b1cd`] })
      : Type.String({ format: 'uuid', description })
  }

  #memberOf(name: string, members: readonly EnvelopeMember[]): ShownMember {
    const { profile } = this.#service
    const [first] = members
    const { field, path, as, constant } = first!
    const isLeaf = members.length === 1 && path === name
    if (members.some((one) => one.field === 'data')) return this.#dataMember(name)
    const isOpen = members.every((one) => OPEN_FIELDS.includes(one.field))
    if (!isLeaf) return this.#held(name, openObject('Part of the body.'), isOpen)
    switch (field) {
      case null:
        return shown(name, Type.Unsafe({ const: constant }))
      case 'id':
        return shown(name, this.#idSchema())
      case 'type':
        return shown(name, eventTypeName)
      case 'time':
        return shown(name, TIMES[as]())
      case 'workspace.id':
        return shown(
          name,
          Type.String({
            ...(isPrefixed(profile) ? {} : { format: 'uuid' }),
            description: 'The workspace that it belongs to.',
          }),
        )
      case 'workspace.slug':
      case 'workspace.name':
        return shown(name, Type.String({ description: `The ${field.slice(10)} of the workspace.` }))
      default:
        return this.#held(name, this.#ownSchema(first!), isOpen)
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
    return this.#held(name, openObject(description), false)
  }

  /** What keys may get null for, unless it is open to all. */
  #held(name: string, schema: TSchema, isOpen: boolean): ShownMember {
    if (isOpen || this.#service.profile.access.contents === null) return shown(name, schema)
    const { type } = schema as { readonly type?: string | readonly string[] }
    const types = type === undefined ? {} : { type: [...[type].flat(), 'null'] }
    return { name, schema: Type.Unsafe({ ...schema, ...types }), hidden: true }
  }
}

const shown = (name: string, schema: TSchema): ShownMember => ({ name, schema, hidden: false })

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
