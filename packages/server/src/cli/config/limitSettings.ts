import { MIN_BODY_BYTES } from '../../http/shared/bodies/limits.ts'
import { integer } from '../settingValues.ts'
import { quota, setting } from './setting.ts'

/** The settings that limit one node, and the share of one workspace. */
export const LIMIT_SETTINGS = {
  maxInFlight: setting(
    'POSTHORN_MAX_IN_FLIGHT',
    'concurrent attempts on one node',
    '512',
    512,
    integer(1, 10_000),
  ),
  maxInFlightPerWebhook: setting(
    'POSTHORN_MAX_IN_FLIGHT_PER_WEBHOOK',
    'concurrent attempts to one webhook on one node',
    '10',
    10,
    integer(1, 1_000),
  ),
  maxWebhooks: {
    ...quota('webhooks'),
    details:
      'webhooks per workspace, unless the profile of its service sets another limit (`content`: 20); more are rejected with 409',
  },
  maxEventsPerSecond: {
    ...quota('eventsPerSecond'),
    details:
      'events per second that a workspace may publish on one node, averaged over 10 seconds. Above this limit, or one of the next three, publishing gets 429 with `Retry-After`',
    reloads: true,
  },
  maxBytesPerDay: { ...quota('bytesPerDay'), reloads: true },
  maxPending: {
    ...quota('pendingDeliveries'),
    details: 'pending deliveries per workspace; counted periodically, so it can be exceeded by a few percent',
    reloads: true,
  },
  maxFanout: { ...quota('uncreatedDeliveries'), reloads: true },
  maxReplays: {
    ...quota('unfinishedReplays'),
    details: 'unfinished replays and recoveries per workspace; more are rejected with 429',
    reloads: true,
  },
  maxChanges: {
    ...quota('changesPerMinute'),
    details:
      "changes per minute to the webhooks of a workspace on one node, including tests, redeliveries, retries, replays and recoveries. Bursts of up to ten minutes' worth are allowed; more are rejected with 429",
    reloads: true,
  },
  maxStreams: {
    ...quota('streams'),
    details: 'open live views of deliveries per workspace on one node; a node allows 200 in total',
    reloads: true,
  },
  maxConsumers: {
    ...quota('consumers'),
    details: 'consumers per workspace; more are rejected with 409',
    reloads: true,
  },
  maxReaders: {
    ...quota('readers'),
    details:
      'open streams and waiting requests of consumers, per workspace on one node; a node allows 1,000 in total',
    reloads: true,
  },
  maxBodyBytes: {
    ...setting(
      'POSTHORN_MAX_BODY_BYTES',
      'bytes of request bodies in progress on one node',
      '67108864',
      64 * 1024 * 1024,
      integer(MIN_BODY_BYTES, 1024 ** 4),
    ),
    details:
      'bytes of request bodies in progress on one node (default: 64 MiB). One API key may use a quarter of this, one workspace half. Above the limit, requests get 429 or 503 with `Retry-After`',
    reloads: true,
  },
  maxConnections: {
    ...setting(
      'POSTHORN_MAX_CONNECTIONS',
      'client connections to one node; one address may have half of them',
      '5000',
      5_000,
      integer(10, 1_000_000),
    ),
    details:
      'client connections to one node. One address may have half of them, unless it is in `POSTHORN_TRUSTED_PROXIES`. Further connections are closed immediately',
    reloads: true,
  },
} as const
