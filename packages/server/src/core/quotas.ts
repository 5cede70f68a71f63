/**
 * What one workspace may use of a service, so that others are not affected. The operator may change it at run time: read it
 * where it is applied, and keep no copy.
 */
export interface Quotas {
  /** Webhooks of a workspace, unless the profile of the service sets the number. */
  readonly webhooks: number
  /** Events published on one node, averaged over {@link EVENT_BURST_S} seconds. */
  readonly eventsPerSecond: number
  /** Bytes of event bodies published on one node. */
  readonly bytesPerDay: number
  /** Pending deliveries. */
  readonly pendingDeliveries: number
  /** Deliveries of accepted events that are not created yet. */
  readonly uncreatedDeliveries: number
  readonly unfinishedReplays: number
  /** Changes by its keys and members on one node; after a rest, up to {@link CHANGE_BURST_MINUTES} minutes' worth at once. */
  readonly changesPerMinute: number
  /** Open streams of deliveries on one node. */
  readonly streams: number
  /** Consumers of a workspace. */
  readonly consumers: number
  /** Waiting requests and open streams of its consumers on one node. */
  readonly readers: number
}

export type QuotaName = keyof Quotas

interface Quota {
  /** The setting. */
  readonly variable: string
  readonly meaning: string
  readonly byDefault: number
  readonly most: number
}

/** Minutes of the quota of changes that a workspace may make at once. */
export const CHANGE_BURST_MINUTES = 10
/** Seconds of the quota of events that a workspace may publish at once. */
export const EVENT_BURST_S = 10

export const QUOTAS: Readonly<Record<QuotaName, Quota>> = {
  webhooks: {
    variable: 'POSTHORN_MAX_WEBHOOKS_PER_WORKSPACE',
    meaning: 'webhooks per workspace, unless the profile of its service sets another limit',
    byDefault: 10_000,
    most: 1_000_000,
  },
  eventsPerSecond: {
    variable: 'POSTHORN_MAX_EVENTS_PER_SECOND_PER_WORKSPACE',
    meaning: `events per second that a workspace may publish on one node, averaged over ${EVENT_BURST_S} seconds`,
    byDefault: 20_000,
    most: 1_000_000_000,
  },
  bytesPerDay: {
    variable: 'POSTHORN_MAX_BYTES_PER_DAY_PER_WORKSPACE',
    meaning: 'bytes of events that a workspace may publish per day on one node',
    byDefault: 50_000_000_000,
    most: Number.MAX_SAFE_INTEGER,
  },
  pendingDeliveries: {
    variable: 'POSTHORN_MAX_PENDING_PER_WORKSPACE',
    meaning: 'pending deliveries per workspace',
    byDefault: 10_000_000,
    most: 1_000_000_000,
  },
  uncreatedDeliveries: {
    variable: 'POSTHORN_MAX_FANOUT_PER_WORKSPACE',
    meaning: 'deliveries per workspace that are not created yet, of accepted events',
    byDefault: 5_000_000,
    most: 1_000_000_000,
  },
  unfinishedReplays: {
    variable: 'POSTHORN_MAX_REPLAYS_PER_WORKSPACE',
    meaning: 'unfinished replays and recoveries per workspace',
    byDefault: 20,
    most: 10_000,
  },
  changesPerMinute: {
    variable: 'POSTHORN_MAX_CHANGES_PER_MINUTE_PER_WORKSPACE',
    meaning: `changes per minute to the webhooks of a workspace on one node, including tests and redeliveries; bursts of up to ${CHANGE_BURST_MINUTES} minutes' worth are allowed`,
    byDefault: 600,
    most: 1_000_000,
  },
  streams: {
    variable: 'POSTHORN_MAX_STREAMS_PER_WORKSPACE',
    meaning: 'open live views of deliveries per workspace on one node',
    byDefault: 100,
    most: 200,
  },
  consumers: {
    variable: 'POSTHORN_MAX_CONSUMERS_PER_WORKSPACE',
    meaning: 'consumers per workspace',
    byDefault: 100,
    most: 10_000,
  },
  readers: {
    variable: 'POSTHORN_MAX_READERS_PER_WORKSPACE',
    meaning: 'waiting requests and open streams of consumers per workspace on one node',
    byDefault: 100,
    most: 1_000,
  },
}

/** The defaults. */
export const DEFAULT_QUOTAS = Object.fromEntries(
  Object.entries(QUOTAS).map(([name, { byDefault }]) => [name, byDefault]),
) as unknown as Quotas

/** The quota that a call would exceed. */
export interface QuotaExceeded {
  readonly outcome: 'quota_exceeded'
  readonly quota: QuotaName
  /** How much of it is used; for a rate, the rate itself. */
  readonly used: number
  readonly max: number
  /** When a retry may succeed. */
  readonly retryAfterMs: number
}

export const quotaExceeded = (
  quota: QuotaName,
  used: number,
  max: number,
  retryAfterMs: number,
): QuotaExceeded => ({ outcome: 'quota_exceeded', quota, used, max, retryAfterMs })
