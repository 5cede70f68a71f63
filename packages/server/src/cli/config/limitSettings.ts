import { MIN_BODY_BYTES } from '../../http/shared/bodies/limits.ts'
import { integer } from '../settingValues.ts'
import { quota, setting } from './setting.ts'

/** The settings that limit one node, and the share of one workspace. */
export const LIMIT_SETTINGS = {
  maxInFlight: setting(
    'POSTHORN_MAX_IN_FLIGHT',
    'attempts under way at once',
    '512',
    512,
    integer(1, 10_000),
  ),
  maxInFlightPerWebhook: setting(
    'POSTHORN_MAX_IN_FLIGHT_PER_WEBHOOK',
    'attempts under way at once to one webhook',
    '10',
    10,
    integer(1, 1_000),
  ),
  maxWebhooks: {
    ...quota('webhooks'),
    details:
      'webhooks of a workspace, unless the profile of its service says how many, as that of `content` does (20); more are rejected with 409',
  },
  maxEventsPerSecond: {
    ...quota('eventsPerSecond'),
    details:
      'events a second that a workspace may publish on one node, on an average of 10 seconds; beyond it, publishing gets 429 with `Retry-After`, as it does beyond the next three limits',
    reloads: true,
  },
  maxBytesPerDay: { ...quota('bytesPerDay'), reloads: true },
  maxPending: {
    ...quota('pendingDeliveries'),
    details:
      'deliveries that a workspace may have waiting for an attempt; counted from time to time, so it can be exceeded by a few percent',
    reloads: true,
  },
  maxFanout: { ...quota('uncreatedDeliveries'), reloads: true },
  maxReplays: {
    ...quota('unfinishedReplays'),
    details: 'replays and recoveries that a workspace may have under way; more are rejected with 429',
    reloads: true,
  },
  maxChanges: {
    ...quota('changesPerMinute'),
    details:
      "changes a minute that keys and members may make to the webhooks of a workspace on one node, including tests, redeliveries, retries, replays and recoveries; up to ten minutes' worth at once; more are rejected with 429",
    reloads: true,
  },
  maxStreams: {
    ...quota('streams'),
    details: 'live views of deliveries that a workspace may have open on one node, which allows 200 in all',
    reloads: true,
  },
  maxConsumers: {
    ...quota('consumers'),
    details: 'consumers of a workspace; more are rejected with 409',
    reloads: true,
  },
  maxReaders: {
    ...quota('readers'),
    details:
      'streams of consumers, and requests that wait for events, that a workspace may have open on one node, which allows 1,000 in all',
    reloads: true,
  },
  maxBodyBytes: {
    ...setting(
      'POSTHORN_MAX_BODY_BYTES',
      'bytes of request bodies in progress at once',
      '67108864',
      64 * 1024 * 1024,
      integer(MIN_BODY_BYTES, 1024 ** 4),
    ),
    details:
      'bytes of request bodies in progress on a node (64 MiB); one API key may have a quarter of them, one workspace half. Beyond it requests get 429 or 503 with `Retry-After`',
    reloads: true,
  },
  maxConnections: {
    ...setting(
      'POSTHORN_MAX_CONNECTIONS',
      'connections of clients at once, half of them of one address',
      '5000',
      5_000,
      integer(10, 1_000_000),
    ),
    details:
      'connections of clients to a node; one address may have half of them, unless it is in `POSTHORN_TRUSTED_PROXIES`. Others are closed at once',
    reloads: true,
  },
} as const
