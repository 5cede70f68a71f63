import type { Catalog, EventType } from './catalog.ts'
import type { IdFormat } from './idFormat.ts'
import type { DeliveryPolicy } from './policy.ts'

/** The workspace an event belongs to, as envelopes and headers may show it. */
export interface WorkspaceRef {
  readonly publicId: string
  readonly slug: string
  readonly name: string
}

/** What one secret signs with, ready for any number of requests. */
export interface SigningKey {
  /**
   * @param scheme the position among the signatures of the profile
   * @returns the signature of the UTF-8 bytes of `prefix` and then `body`; `null`: the secret is older than the profile's
   *   key pairs and has none
   */
  sign(scheme: number, prefix: string, body: string, encoding: 'base64' | 'hex'): string | null
}

/** What a request to a receiver is made from, once per attempt. */
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
  /** Public id of the member or key that asked for the test; `null`: of neither. */
  readonly actorId: string | null
  /** Unix ms. */
  readonly occurredAt: number
}

/** What a made-up body is composed of. */
export interface ExampleInput {
  readonly type: EventType
  readonly workspace: WorkspaceRef
  /** Unix ms. */
  readonly occurredAt: number
  /** Left out: that of all made-up events. */
  readonly eventId?: string
}

/** How the secrets of a dialect's webhooks are made and used. A secret is stored, sealed, as one text. */
interface SecretScheme {
  /** Random bytes that a new one is made of. */
  readonly bytes: number
  /** @param random so many random bytes @returns the text to store */
  readonly make: (random: Uint8Array) => string
  // These throw an Error, without the secret in it, for a text that is no secret.
  /** @returns the part that customers see; `null`: they verify with the public key and need no secret */
  readonly shown: (stored: string) => string | null
  /**
   * @returns the key that receivers verify with, as customers see it: `whpk_` and the base64 of its 32 bytes; `null`: the
   *   profile has no Ed25519 signature, or had none when the secret was made
   */
  readonly publicKey: (stored: string) => string | null
  readonly keyOf: (stored: string) => SigningKey
  /** How long a replaced secret goes on signing; 0 when the signature header holds one value only. */
  readonly overlapMs: number
  /** How many secrets sign one request at most: the newest, so that a flood of rotations costs the sender nothing. */
  readonly maxSigning: number
}

/**
 * Everything that is particular to one publishing service: data and pure functions, never SQL, timers or sockets.
 * The engine is handed one and never asks which it is.
 */
export interface Dialect {
  /** Stored with each workspace. */
  readonly name: string
  /** Of its profile, counted from 1; 0: it is built in. */
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
    /** @returns the event id a publisher brought, in canonical form, or `null` when it is not of this dialect's form. */
    readonly broughtEventId: (id: string) => string | null
    /** The form of event ids that publishers bring, in words that complete "must be …". */
    readonly broughtEventIdForm: string
  }
  readonly policy: DeliveryPolicy
  readonly secrets: SecretScheme
  /** Header names and values, flat and alternating, without those of the transport. */
  readonly requestHeaders: (input: SigningInput) => string[]
  /** The event that the test operation sends where no type is asked for; `null` when this service has none of its own. */
  readonly testEvent: {
    readonly type: string
    /** @returns the body */
    readonly compose: (input: TestEventInput) => string
  } | null
  /** @returns a body of the type's example, as webhooks of the workspace would receive it */
  readonly exampleBody: (input: ExampleInput) => string
  readonly limits: {
    /** Webhooks in one workspace. */
    readonly webhooksPerWorkspace: number
    /** What an operator can raise that by; `null`: it is fixed by the contract. */
    readonly webhooksVariable: string | null
    /** Tests and redeliveries in one workspace in any 60 s. */
    readonly manualSendsPerMinute: number | null
  }
  /** Members of a body whose words find an event, as paths such as `data.name`. */
  readonly searchable: readonly string[]
  /** Scopes that a key of this dialect may hold. */
  readonly scopes: readonly string[]
  /** The scope without which a key sees no event body, response excerpt or signature; `null`: every key sees them. */
  readonly contentsScope: string | null
  /** The name, as it is sent, of the header that holds the signature; `null`: requests are not signed. */
  readonly signatureHeader: string | null
}

/** The dialects that a process serves, by name. */
export type Dialects = ReadonlyMap<string, Dialect>
