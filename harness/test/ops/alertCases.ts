import {
  always,
  BEGINS,
  during,
  ENDS,
  ofNode,
  ofNodes,
  ofOutbox,
  rising,
  type Series,
} from './alertSeries.ts'

export interface AlertCase {
  readonly fault: string
  /** Differences from a healthy service. */
  readonly series: Series
  /** All alerts that fire in this minute after the start of the fault; no other does. */
  readonly fires: readonly string[]
  readonly at: number
  /** All alerts that fire shortly before, while the fault may still pass. */
  readonly before?: { readonly at: number; readonly fires: readonly string[] }
  /** Minutes after the start of the fault by which all alerts have ended; {@link OVER} by default. */
  readonly over?: number
}

/** Faults last for an hour at most, and some alerts look back over an hour. */
export const OVER = 95

const quiet = (at: number) => ({ at, fires: [] })
/** An age that grows since the start of the fault. */
const ageing = (minutes: number, startsAt = 0) =>
  [`0+0x${BEGINS - 1}`, `${startsAt}+60x${minutes - 1}`, `0+0x${ENDS - BEGINS - minutes - 1}`].join(' ')
const gone = (metric: string, minutes: number, labels = '') =>
  ofNodes(metric, during(minutes, '_', 1), labels)

export const CASES: readonly AlertCase[] = [
  {
    fault: 'nothing, but one customer whose receiver is dead',
    series: {},
    fires: [],
    at: 60,
  },
  {
    fault: 'one customer with a dead receiver, and most of the traffic and of the backlog',
    series: {
      ...ofNodes('posthorn_attempts_total', rising(60), 'dialect="content",outcome="delivered"'),
      ...ofNodes('posthorn_attempts_total', rising(5940), 'dialect="content",outcome="connect_timeout"'),
      ...ofNodes('posthorn_deliveries_pending', always(40_000)),
      ...ofNodes('posthorn_oldest_pending_delivery_age_seconds', always(20_000), 'reason="retry"'),
    },
    fires: [],
    at: 60,
  },
  {
    fault: 'all nodes are down',
    series: {
      ...ofNodes('up', during(30, 0, 1)),
      ...gone('posthorn_ready', 30),
      ...gone('posthorn_lease_held', 30),
      ...gone('posthorn_egress_open', 30),
    },
    before: quiet(1),
    fires: ['PosthornNoNode', 'PosthornNodeDown'],
    at: 10,
  },
  {
    fault: 'one node of two is down',
    series: {
      ...ofNode('b', 'up', during(30, 0, 1)),
      ...ofNode('b', 'posthorn_ready', during(30, '_', 1)),
      ...ofNode('b', 'posthorn_lease_held', during(30, '_', 1)),
    },
    before: quiet(2),
    fires: ['PosthornNodeDown'],
    at: 10,
  },
  {
    fault: 'a node is killed, and another takes over its deliveries',
    series: ofNode('a', 'posthorn_leases_taken_over_total', rising(0, 1, 800)),
    fires: ['PosthornLeasesTakenOver'],
    at: 3,
  },
  {
    fault: 'the database is away',
    series: {
      ...ofNodes('posthorn_ready', during(30, 0, 1)),
      ...ofNodes('posthorn_lease_held', during(30, 0, 1)),
      ...ofNodes('posthorn_attempts_recorded_total', rising(6000, 30, 0)),
    },
    before: quiet(1),
    fires: ['PosthornTakesNoEvents'],
    at: 10,
  },
  {
    fault: 'a failover of the database takes a minute',
    series: {
      ...ofNodes('posthorn_ready', during(1, 0, 1)),
      ...ofNodes('posthorn_lease_held', during(1, 0, 1)),
    },
    fires: [],
    at: 3,
  },
  {
    fault: 'one node of two cannot use the database',
    series: {
      ...ofNode('b', 'posthorn_ready', during(30, 0, 1)),
      ...ofNode('b', 'posthorn_lease_held', during(30, 0, 1)),
    },
    before: quiet(3),
    fires: ['PosthornNodeNotReady'],
    at: 10,
  },
  {
    fault: 'a disk fills up',
    series: ofNode('a', 'posthorn_data_disk_free_bytes', during(60, 9e9, 60e9)),
    before: quiet(8),
    fires: ['PosthornDiskAlmostFull'],
    at: 15,
  },
  {
    fault: 'a disk is full',
    series: ofNode('a', 'posthorn_data_disk_free_bytes', during(60, 1e6, 60e9)),
    before: quiet(1),
    fires: ['PosthornDiskFull'],
    at: 5,
  },
  {
    fault: 'request bodies need more memory than there is',
    series: ofNode('a', 'posthorn_request_bodies_refused_total', rising(0, 30, 50), 'reason="node"'),
    before: quiet(3),
    fires: ['PosthornRequestBodiesRejected'],
    at: 15,
  },
  {
    fault: 'a reverse proxy that is not listed opens too many connections',
    series: ofNode('a', 'posthorn_http_connections_refused_total', rising(0, 30, 50), 'reason="address"'),
    before: quiet(3),
    fires: ['PosthornConnectionsRejected'],
    at: 15,
  },
  {
    fault: 'an attacker guesses keys',
    series: ofNode(
      'a',
      'posthorn_failed_authentications_total',
      rising(0, 60, 300),
      'credential="key",outcome="throttled"',
    ),
    before: quiet(8),
    fires: ['PosthornCredentialsGuessed'],
    at: 30,
  },
  {
    fault: 'deliveries are due and nothing is sent',
    series: {
      ...ofNodes('posthorn_oldest_due_delivery_age_seconds', ageing(40)),
      ...ofNodes('posthorn_attempts_recorded_total', rising(6000, 40, 0)),
    },
    before: quiet(6),
    fires: ['PosthornNothingSent'],
    at: 12,
  },
  {
    fault: 'no publishes, and nothing is due',
    series: ofNodes('posthorn_attempts_recorded_total', always(0)),
    fires: [],
    at: 60,
  },
  {
    fault: 'no node can reach any receiver',
    series: {
      ...ofNodes('posthorn_egress_open', during(30, 0, 1)),
      ...ofNodes('posthorn_oldest_due_delivery_age_seconds', ageing(30)),
      ...ofNodes('posthorn_attempts_recorded_total', rising(6000, 30, 0)),
      ...ofNodes('posthorn_warnings', during(30, 1, '_'), 'code="sending_held"'),
    },
    before: quiet(0),
    fires: ['PosthornEgressClosed'],
    at: 12,
  },
  {
    fault: 'one node of two can reach no receiver',
    series: ofNode('b', 'posthorn_egress_open', during(30, 0, 1)),
    before: quiet(3),
    fires: ['PosthornNodeEgressClosed'],
    at: 12,
  },
  {
    fault: 'a node has no free sockets',
    series: ofNode('a', 'posthorn_attempt_failures_total', rising(0, 40, 300), 'cause="sender"'),
    before: quiet(8),
    fires: ['PosthornNodeFaults'],
    at: 20,
  },
  {
    fault: 'deliveries fall due faster than they are sent',
    series: {
      ...ofNodes('posthorn_oldest_due_delivery_age_seconds', ageing(120)),
      ...ofNodes('posthorn_oldest_pending_delivery_age_seconds', ageing(120), 'reason="turn"'),
      ...ofNodes('posthorn_deliveries_pending', during(120, 60_000, 200)),
    },
    before: { at: 25, fires: ['PosthornDeliveriesWaitForNode'] },
    fires: ['PosthornDeliveriesOverdue', 'PosthornDeliveriesWaitForNode'],
    at: 40,
    over: 140,
  },
  {
    fault: 'a receiver hangs',
    series: {
      ...ofNodes('posthorn_oldest_pending_delivery_age_seconds', ageing(120), 'reason="places"'),
      ...ofNodes('posthorn_attempts_recorded_total', rising(6000, 120, 40)),
    },
    before: quiet(70),
    fires: ['PosthornReceiverSlow'],
    at: 85,
    over: 140,
  },
  {
    fault: 'much more is published than delivered, for hours',
    series: ofNodes(
      'posthorn_deliveries_pending',
      `200+0x${BEGINS - 1} 60000+1000x200 200+0x${ENDS - BEGINS - 202}`,
    ),
    before: quiet(80),
    fires: ['PosthornBacklogGrows'],
    at: 120,
    over: 230,
  },
  {
    fault: 'a quarter of all receivers is away',
    series: {
      ...ofNodes('posthorn_webhooks_failing', during(60, 25, 1)),
      ...ofNodes(
        'posthorn_attempts_total',
        rising(60, 60, 7000),
        'dialect="content",outcome="connect_timeout"',
      ),
    },
    before: quiet(8),
    fires: ['PosthornManyWebhooksFailing', 'PosthornMostAttemptsFail'],
    at: 25,
  },
  {
    fault: 'one webhook of two fails, on a small service',
    series: {
      ...ofNodes('posthorn_webhooks_on', always(2)),
      ...ofNodes('posthorn_webhooks_failing', always(1)),
    },
    fires: [],
    at: 60,
  },
  {
    fault: 'a webhook is disabled',
    series: ofNodes('posthorn_webhooks_disabled_last_hour', during(60, 1)),
    fires: ['PosthornWebhookDisabled'],
    at: 1,
  },
  {
    fault: 'deliveries of a webhook that was paused for a month expire',
    series: ofNode('a', 'posthorn_deliveries_expired_total', rising(0, 2, 500)),
    fires: ['PosthornDeliveriesExpired'],
    at: 3,
  },
  {
    fault: 'the mail server is away',
    series: ofNodes('posthorn_emails_waiting', during(120, 4)),
    before: quiet(55),
    fires: ['PosthornEmailsWaiting'],
    at: 65,
    over: 125,
  },
  {
    fault: 'a clock leaps ahead, and with it retries are scheduled too late',
    series: {
      ...ofNode('a', 'posthorn_clock_leaps_total', rising(0, 1, 1), 'direction="ahead"'),
      ...ofNode('a', 'posthorn_clock_steady', during(60, 0, 1)),
      ...ofNode('a', 'posthorn_retries_pulled_in_total', rising(0, 2, 300)),
      ...ofNode('a', 'posthorn_warnings', during(60, 1, '_'), 'code="clock_leapt"'),
    },
    fires: ['PosthornClockLeapt', 'PosthornRetriesPulledIn'],
    at: 5,
  },
  {
    fault: 'a clock is not trusted for hours',
    series: ofNode('a', 'posthorn_clock_steady', during(150, 0, 1)),
    before: quiet(115),
    fires: ['PosthornClockNotSteady'],
    at: 125,
    over: 155,
  },
  {
    fault: 'the clock of a node is half an hour behind that of the database',
    series: ofNode('a', 'posthorn_clock_ahead_of_machine_seconds', during(30, 1800)),
    before: quiet(3),
    fires: ['PosthornClockDiffers'],
    at: 10,
  },
  {
    fault: 'others can read the master key',
    series: ofNode('a', 'posthorn_warnings', during(30, 1, '_'), 'code="key_file_open"'),
    before: quiet(3),
    fires: ['PosthornWarning'],
    at: 10,
  },
  {
    fault: 'a node has too much to do, and so has another program',
    series: {
      ...ofNode('a', 'nodejs_eventloop_lag_p99_seconds', during(30, 0.4, 0.01)),
      'nodejs_eventloop_lag_p99_seconds{instance="c:9000",job="shop"}': always(3),
    },
    before: quiet(8),
    fires: ['PosthornEventLoopSlow'],
    at: 15,
  },
  {
    fault: 'an upgrade stops half-way',
    series: {
      ...ofNode('b', 'posthorn_build_info', during(200, '_', 1), 'version="1.0.0"'),
      ...ofNode('b', 'posthorn_build_info', during(200, 1, '_'), 'version="1.1.0"'),
    },
    before: quiet(115),
    fires: ['PosthornVersionsDiffer'],
    at: 125,
    over: 205,
  },
  {
    fault: 'a consumer is not read for two days',
    series: ofNodes('posthorn_consumer_oldest_unacknowledged_age_seconds', during(120, 172_800, 30)),
    before: quiet(55),
    fires: ['PosthornConsumerSilent'],
    at: 65,
    over: 125,
  },
  {
    fault: 'events of a consumer are removed before it reads them',
    series: ofNodes('posthorn_consumers_with_gap', during(60, 1)),
    fires: ['PosthornConsumerGap'],
    at: 1,
  },
  {
    fault: "a producer's database is away",
    series: ofOutbox('source_up', during(30, 0, 1)),
    before: quiet(3),
    fires: ['PosthornOutboxUnreadable'],
    at: 10,
  },
  {
    fault: 'a relay cannot reach Posthorn',
    series: {
      ...ofOutbox('publishing_up', during(30, 0, 1)),
      ...ofOutbox('oldest_pending_seconds', ageing(30)),
    },
    before: quiet(3),
    fires: ['PosthornOutboxNotPublishing', 'PosthornOutboxLate'],
    at: 20,
  },
  {
    fault: 'a workspace of an outbox has no key',
    series: {
      ...ofOutbox('blocked_workspaces', during(30, 1)),
      ...ofOutbox('oldest_pending_seconds', ageing(30)),
    },
    before: quiet(3),
    fires: ['PosthornOutboxBlocked'],
    at: 20,
  },
  {
    fault: 'a producer emits events that do not fit their type',
    series: ofOutbox('failed_events', during(60, 3)),
    before: quiet(13),
    fires: ['PosthornOutboxFailed'],
    at: 20,
  },
  {
    fault: 'an outbox grows',
    series: ofOutbox('held_bytes', during(60, 8e9)),
    before: quiet(8),
    fires: ['PosthornOutboxGrows'],
    at: 15,
  },
  {
    fault: 'an old transaction keeps the events of an outbox',
    series: ofOutbox('oldest_stored_seconds', during(60, 7200, 900)),
    before: quiet(8),
    fires: ['PosthornOutboxNotRemoved'],
    at: 15,
  },
]
