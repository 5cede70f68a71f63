import type { Catalog, EventType } from './catalog.ts'
import type { IdFormat } from './idFormat.ts'
import type { DeliveryPolicy } from './policy.ts'

/** The workspace an event belongs to, as envelopes and headers may show it. */
export interface WorkspaceRef {
  readonly publicId: string
  readonly slug: string
  readonly name: string
}

/** A secret in the form that signing needs, for any number of requests. */
export interface SigningKey {
  /**
   * @param scheme the position among the signatures of the profile
   * @returns the signature of the UTF-8 bytes of `prefix` and then `body`; `null`: the secret is older than the profile's key
   *   pairs and has none
   */
  sign(scheme: number, prefix: string, body: string, encoding: 'base64' | 'hex'): string | null
}

/** The values that a request to a receiver is built from, once per attempt. */
export interface SigningInput {
  readonly eventId: string
  readonly deliveryId: string
  readonly eventType: string
  readonly webhookId: string
  readonly workspaceSlug: string
  /** Counts from 1 over the whole life of the delivery. */
  readonly attempt: number
  /** The exact text whose UTF-8 bytes are sent. */
  readonly body: string
  /** Unix seconds at which this attempt is signed. */
  readonly timestampSeconds: number
  /** Keys of the secrets that sign now, newest first; at least one. */
  readonly keys: readonly SigningKey[]
}

interface TestEventInput {
  readonly eventId: string
  readonly webhookId: string
  readonly workspace: WorkspaceRef
  /** Public id of the member or key that requested the test; `null`: neither. */
  readonly actorId: string | null
  /** Unix ms. */
  readonly occurredAt: number
}

/** The values that a made-up body is built from. */
export interface ExampleInput {
  readonly type: EventType
  readonly workspace: WorkspaceRef
  /** Unix ms. */
  readonly occurredAt: number
  /** Default: the id of all made-up events. */
  readonly eventId?: string
}

/** How the secrets of a dialect's webhooks are made and used. A secret is stored, encrypted, as one text. */
interface SecretScheme {
  /** Number of random bytes of a new secret. */
  readonly bytes: number
  /** @param random that many random bytes @returns the text to store */
  readonly make: (random: Uint8Array) => string
  // For a text that is not a secret, these throw an Error that does not contain it.
  /** @returns the part that customers see; `null`: they verify with the public key and need no secret */
  readonly shown: (stored: string) => string | null
  /**
   * @returns the key that receivers verify with, as customers see it: `whpk_` and the base64 of its 32 bytes; `null`: the
   *   profile has no Ed25519 signature, or had none when the secret was made
   */
  readonly publicKey: (stored: string) => string | null
  readonly keyOf: (stored: string) => SigningKey
  /** How long a replaced secret still signs; 0 when the signature header has room for one value only. */
  readonly overlapMs: number
  /** How many secrets sign one request at most: the newest. It bounds the cost of many rotations. */
  readonly maxSigning: number
}

/**
 * Everything that is specific to one publishing service: data and pure functions, never SQL, timers or sockets. The engine
 * works with any dialect and never checks which one it has.
 */
export interface Dialect {
  /** Stored with each workspace. */
  readonly name: string
  /** Version of its profile, counted from 1; 0: it is built in. */
  readonly version: number
  readonly catalog: Catalog
  readonly ids: {
    readonly event: IdFormat
    readonly delivery: IdFormat
    readonly workspace: IdFormat
    readonly member: IdFormat
    readonly webhook: IdFormat
    readonly key: IdFormat
    readonly session: IdFormat
    readonly replay: IdFormat
    /** @returns the event id of a publisher in canonical form, or `null` when it does not have this dialect's form. */
    readonly broughtEventId: (id: string) => string | null
    /** The form of publishers' event ids, in words that complete "must be …". */
    readonly broughtEventIdForm: string
  }
  readonly policy: DeliveryPolicy
  readonly secrets: SecretScheme
  /** Header names and values, flat and alternating, without the headers of the transport. */
  readonly requestHeaders: (input: SigningInput) => string[]
  /** The event that the test operation sends if no type is given; `null` when this service has no test event. */
  readonly testEvent: {
    readonly type: string
    /** @returns the body */
    readonly compose: (input: TestEventInput) => string
  } | null
  /** @returns a body with the type's example, as webhooks of the workspace would receive it */
  readonly exampleBody: (input: ExampleInput) => string
  readonly limits: {
    /** Webhooks in one workspace. */
    readonly webhooksPerWorkspace: number
    /** The setting that raises this limit; `null`: it is fixed by the contract. */
    readonly webhooksVariable: string | null
    /** Tests and redeliveries in one workspace in any 60 s. */
    readonly manualSendsPerMinute: number | null
  }
  /** Members of a body whose words are indexed for search, as paths such as `data.name`. */
  readonly searchable: readonly string[]
  /** Scopes that a key of this dialect may have. */
  readonly scopes: readonly string[]
  /** The scope that shows a key event bodies, response excerpts and signatures; `null`: every key sees them. */
  readonly contentsScope: string | null
  /** The name, as it is sent, of the signature header; `null`: requests are not signed. */
  readonly signatureHeader: string | null
}

/** The dialects that a process serves, by name. */
export type Dialects = ReadonlyMap<string, Dialect>
