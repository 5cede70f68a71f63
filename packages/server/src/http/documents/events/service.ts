import type { EventType, JsonSchema } from '../../../core/catalog.ts'
import type { Dialect } from '../../../core/dialect.ts'
import { FORMS } from '../../../core/textForms.ts'

/** A schema of an object whose members are listed. */
export interface ObjectSchema extends JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

/** A header of a request to a receiver. */
interface SentHeader {
  /** As it is sent. */
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
}

/** A whole request to a receiver, signed under {@link SAMPLE_SECRET_BYTES}. */
export interface SampleRequest {
  readonly headers: Readonly<Record<string, string>>
  /** The exact text whose bytes are signed. */
  readonly body: string
}

/** What documents say of the events of one service. */
export interface EventService {
  /** The dialect's name; in paths and names. */
  readonly name: 'content' | 'ads'
  /** What people call it. */
  readonly title: string
  /** The member of an event that its type decides on, and what the names of its schemas end in. */
  readonly data: { readonly member: string; readonly suffix: string }
  /** Title of the routes' schema of an event to publish. */
  readonly published: string
  /** What members of an event to publish are held to besides, by checks that follow the routes' schema. */
  readonly publishedMembers: (type: EventType) => Readonly<Record<string, JsonSchema>>
  readonly publishedExample: (type: EventType) => JsonSchema
  /** Schema of the request body that receivers get. @param data gives the schema of the data, or a reference to it */
  readonly envelope: (type: EventType, data: () => JsonSchema) => JsonSchema
  readonly headers: readonly SentHeader[]
  readonly sample: (dialect: Dialect, type: EventType) => SampleRequest
}

/** The events of a service that runs here, with the dialect that they are sent in. */
export type ServedEvents = readonly [EventService, Dialect]

/** `version.approved` → `VersionApproved`, `line_item.created.v1` → `LineItemCreatedV1`. */
export const nameOf = ({ type }: EventType) =>
  type
    .split(/[._]/)
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join('')

/** The headers of a request as values of their schemas. */
export const headersOf = (
  { headers }: EventService,
  sample: SampleRequest,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    headers.map(({ name, schema }) => {
      const text = sample.headers[name]
      return [name, schema.type === 'integer' ? Number(text) : text]
    }),
  )

/** Of no webhook: whoever reads the documents knows it. */
export const SAMPLE_WEBHOOK_ID = Buffer.from('0199703ba6817b25a40f3e9cd81db656', 'hex')
export const SAMPLE_SECRET_BYTES = Buffer.from('an example, known to all readers')

/** When the events of all examples happened, and when their requests were signed. */
export const SAMPLE_TIME = Date.UTC(2026, 8, 22, 9, 41, 7, 315)

/** As times are written in request bodies. */
export const sentTime = (description: string): JsonSchema => ({
  type: 'string',
  format: 'date-time',
  pattern: FORMS.sentTime.pattern,
  description: `${description} ISO 8601, UTC, with milliseconds.`,
})
