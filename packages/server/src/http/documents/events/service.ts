import type { EventType, JsonSchema } from '../../../core/catalog.ts'
import type { ServedProfile } from '../../../profiles/compile.ts'
import { pascalCase } from '../../../profiles/eventForm.ts'
import { eventTitle } from '../../operations/words.ts'
import { type SentHeader, sentHeaders } from './headers.ts'
import { Names, nameOf } from './names.ts'
import { withoutReferences } from './schemas.ts'

/** An event type as documents know it. */
export interface DescribedType extends EventType {
  /** What names of schemas and operations begin with; each type of a service has another. */
  readonly name: string
  /** Names it among webhooks, messages and examples. */
  readonly key: string
  /** Stands for all types that the catalog does not list; {@link type} is one of them. */
  readonly isAny: boolean
}

/** What documents say of the events of one service. */
export interface EventService {
  readonly served: ServedProfile
  /** In paths and names. */
  readonly name: string
  /** What people call it. */
  readonly title: string
  /** The same within a sentence. */
  readonly phrase: string
  /** The event types of the catalog, also those that only the service itself sends. */
  readonly types: readonly DescribedType[]
  /** Stands for types that the catalog does not list; `null`: there are none. */
  readonly anyType: DescribedType | null
  /** The member of an event that its type decides on, and what the names of its schemas end in. */
  readonly data: { readonly member: string; readonly suffix: string }
  /** Title of the routes' schema of an event to publish. */
  readonly published: string
  readonly headers: readonly SentHeader[]
}

/**
 * Makes what documents say of a service, once.
 * @param schemas of the data of types, without references; those that are missing are made here
 */
export function eventServiceOf(
  served: ServedProfile,
  schemas: ReadonlyMap<string, JsonSchema> = new Map(),
): EventService {
  const { profile, catalog } = served
  const { title, event, texts } = profile
  const names = new Names()
  const types = [...catalog.values()].map((type) => ({
    ...type,
    schema: schemas.get(type.type) ?? withoutReferences(type.schema),
    name: names.take(nameOf(type.type)),
    key: type.type,
    isAny: false,
  }))
  return {
    served,
    name: profile.name,
    title,
    phrase: texts['service.name'] ?? title,
    types,
    anyType: profile.catalog.open ? anyTypeOf(served, names) : null,
    data: { member: event.data, suffix: suffixOf(event.data) },
    published: `${eventTitle(profile)}ToPublish`,
    headers: sentHeaders(profile),
  }
}

/** All types that a document describes. */
export const describedTypes = ({ types, anyType }: EventService): readonly DescribedType[] =>
  anyType === null ? types : [...types, anyType]

/** Those that can be published and subscribed to. */
export const publishedTypes = (service: EventService): readonly DescribedType[] =>
  describedTypes(service).filter(({ subscribable }) => subscribable)

const EXAMPLE_TYPE = 'invoice.paid'
const EXAMPLE_DATA: JsonSchema = { invoice_id: 'inv_1001', amount_cents: 4900 }

function anyTypeOf({ catalog }: ServedProfile, names: Names): DescribedType {
  const isOther = [...catalog.values()].some(({ subscribable }) => subscribable)
  let type = EXAMPLE_TYPE
  for (let version = 2; catalog.has(type); version++) type = `${EXAMPLE_TYPE}.v${version}`
  return {
    type,
    title: isOther ? 'Any other event' : 'Any event',
    description: isOther
      ? 'An event of a type that is not described here. Its data is any object.'
      : 'An event of any type. Its data is any object.',
    group: 'Events',
    schema: { type: 'object' },
    members: {},
    example: EXAMPLE_DATA,
    subscribable: true,
    name: names.take('Any'),
    key: '*',
    isAny: true,
  }
}

/** Names of schemas of whole events end in `Event`. */
function suffixOf(member: string): string {
  const suffix = pascalCase(member)
  return suffix === '' || suffix === 'Event' ? `${suffix}Data` : suffix
}
