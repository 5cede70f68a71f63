import { SECOND_MS } from '../../../core/duration.ts'

/** Bodies of management requests are small; a generous bound is enough. */
export const MANAGEMENT_BODY_LIMIT_BYTES = 64 * 1024
/** The whole request that publishes one event. */
export const EVENT_LIMIT_BYTES = 256 * 1024
/** The whole request that publishes a batch; each of its events is held to {@link EVENT_LIMIT_BYTES} too. */
export const BATCH_BODY_LIMIT_BYTES = 5 * 1024 * 1024

/** Larger bodies are checked while they arrive, and parsed in slices of the event loop's time. */
export const LARGE_BYTES = 64 * 1024

/** Larger bodies wait for a turn of the event loop, so that one workspace's batches do not delay the events of others. */
export const SMALL_BYTES = 8 * 1024

/** Limits of a large body, so that parsing and checking it takes little time and memory. */
export interface JsonLimits {
  readonly depth: number
  /** Of one part: an item of a list that is cut out, or all that stands outside of them. */
  readonly valuesOfPart: number
  readonly valuesInAll: number
  /** Of an item, as it stands in the text, and of all texts outside of items that are not ASCII. To decode 5 MB of Japanese takes 40 ms. */
  readonly bytesOfPart: number
}

/** The whole request that adds or changes a profile. */
export const PROFILE_BODY_LIMIT_BYTES = 2 * 1024 * 1024
/** A profile is one value, however many event types it has. */
export const PROFILE_JSON_LIMITS: JsonLimits = {
  depth: 64,
  valuesOfPart: 100_000,
  valuesInAll: 100_000,
  bytesOfPart: 4 * PROFILE_BODY_LIMIT_BYTES,
}

export const JSON_LIMITS: JsonLimits = {
  depth: 64,
  valuesOfPart: 5_000,
  valuesInAll: 300_000,
  bytesOfPart: 4 * EVENT_LIMIT_BYTES,
}

/** For the documents. */
export const PARTS_DESCRIPTION = `Limits for bodies of more than ${LARGE_BYTES} bytes: ${JSON_LIMITS.depth} levels of nesting, ${JSON_LIMITS.valuesOfPart} members and list items in each event, and ${JSON_LIMITS.valuesInAll} in a batch.`

/** A body that is slower than this, in any window of time, is rejected. */
export interface ArrivalLimits {
  readonly windowMs: number
  readonly bytesPerWindow: number
}

export const ARRIVAL_LIMITS: ArrivalLimits = { windowMs: 10 * SECOND_MS, bytesPerWindow: 40 * 1024 }

/** How long a client may take to send a request, so that slow clients cannot block connections for ever. */
export const REQUEST_TIMEOUT_MS = 30 * SECOND_MS

/** Of the bytes of a node; the rest is for bodies of up to {@link LARGE_BYTES}, so that batches never keep single events out. */
export const LARGE_PART = 7 / 8
/** What one API key, member or operator may have of the bytes of a node, */
export const CREDENTIAL_PART = 1 / 4
/** all keys and members of a workspace together, */
export const WORKSPACE_PART = 1 / 2
/** all clients without a credential together, which only sign in, */
export const STRANGERS_PART = 1 / 16
/** and one of them. */
export const STRANGER_PART = 1 / 64
/** What one address may have of the connections of a node, unless it is a trusted proxy. */
export const ADDRESS_PART = 1 / 2

/** The share of one key must have room for a whole batch. */
export const MIN_BODY_BYTES = Math.ceil(BATCH_BODY_LIMIT_BYTES / CREDENTIAL_PART)
