import { FORMS } from './textForms.ts'

/** A JSON Schema (draft 2020-12) as plain data. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** One event type as a dialect publishes it. Plain data: documents, validation and the console are derived from it. */
export interface EventType {
  /** The name on the wire, for example `version.approved` or `campaign.created.v1`. */
  readonly type: string
  readonly title: string
  /** One or two sentences for the customer's engineer: when it is sent and what to use it for. */
  readonly description: string
  /** The heading that it has in a catalog, for example `Publications`. */
  readonly group: string
  /** Schema of the data of an event. */
  readonly schema: JsonSchema
  /** Fixed values of members that publishers send beside the data, by name. */
  readonly members: Readonly<Record<string, unknown>>
  /** A made-up value that fits `schema`. */
  readonly example: JsonSchema
  /** False for types that only the service itself sends, such as `webhook.test`. */
  readonly subscribable: boolean
}

/** Every event type of one dialect, by its name. */
export type Catalog = ReadonlyMap<string, EventType>

/**
 * Collects event types under their names.
 * @throws Error when two types have the same name; `checkProfile` rejects that earlier
 */
export function catalogOf(types: readonly EventType[]): Catalog {
  const catalog = new Map<string, EventType>()
  for (const type of types) {
    if (catalog.has(type.type)) throw new Error(`event type ${type.type} is in the catalog twice`)
    catalog.set(type.type, type)
  }
  return catalog
}

const WELL_FORMED = new RegExp(FORMS.eventTypeName.pattern)
/** One object for all unlisted types, so that it is compiled once. */
const ANY_OBJECT: JsonSchema = { type: 'object' }

/** A catalog that accepts any well-formed type. Its entries are the types with a schema. */
export class OpenCatalog extends Map<string, EventType> {}

/** A type that may be published or subscribed to, or that the service itself sends; `undefined`: there is no such type. */
export function typeOf(catalog: Catalog, name: string): EventType | undefined {
  const isTaken = catalog instanceof OpenCatalog && WELL_FORMED.test(name)
  return catalog.get(name) ?? (isTaken ? unlisted(name) : undefined)
}

const unlisted = (type: string): EventType => ({
  type,
  title: type,
  description: '',
  group: 'Events',
  schema: ANY_OBJECT,
  members: {},
  example: {},
  subscribable: true,
})
