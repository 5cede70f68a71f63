/**
 * Number of shards: parts of the workspaces, each of which one relay at a time publishes, in order. At most this many relays
 * share the work.
 */
export const SHARDS = 16

/** The shard of a workspace, in SQL. */
export const shardOf = (workspace: string): string => `hashtextextended(${workspace}, 0) & ${SHARDS - 1}`

/** Partitions of the outbox. Rows go to one after another as time passes, so that earlier ones can be emptied. */
export const SLOTS = 4
/** How long rows go to one partition. */
export const SLOT_SECONDS = 300
