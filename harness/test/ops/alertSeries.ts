/** The minute-by-minute values of one metric, in promtool's notation. */
type Course = string

/** The fault of a case starts in this minute, and everything was healthy before. */
export const BEGINS = 12
/** Series end in this minute. */
export const ENDS = 300

const steady = (value: number | string, minutes: number) => `${value}+0x${minutes - 1}`

/** A constant value. */
export const always = (value: number): Course => steady(value, ENDS)

/** A gauge with another value from {@link BEGINS} on, for some minutes; `_` for both: there is no sample. */
export function during(minutes: number, faulty: number | '_', otherwise: number | '_' = 0): Course {
  const part = (value: number | '_', count: number) => (value === '_' ? `_x${count}` : steady(value, count))
  return [part(otherwise, BEGINS), part(faulty, minutes), part(otherwise, ENDS - BEGINS - minutes)].join(' ')
}

/** A counter that rises by an amount a minute; by another amount from {@link BEGINS} on, for some minutes. */
export function rising(aMinute: number, minutes = 0, then = aMinute): Course {
  let value = 0
  const values = []
  for (let minute = 0; minute < ENDS; minute++) {
    values.push(value)
    value += minute >= BEGINS && minute < BEGINS + minutes ? then : aMinute
  }
  return values.join(' ')
}

export type Series = Readonly<Record<string, Course>>

const on = (instance: 'a' | 'b') => `instance="${instance}:8080",job="posthorn"`

/** A series of one node. */
export const ofNode = (instance: 'a' | 'b', metric: string, course: Course, labels = ''): Series => ({
  [`${metric}{${on(instance)}${labels === '' ? '' : `,${labels}`}}`]: course,
})
/** The same series of both nodes. */
export const ofNodes = (metric: string, course: Course, labels = ''): Series => ({
  ...ofNode('a', metric, course, labels),
  ...ofNode('b', metric, course, labels),
})

const OUTBOX = 'outbox="orders"'

/** Two healthy nodes with traffic, and an outbox. */
export const WELL: Series = {
  ...ofNodes('up', always(1)),
  ...ofNodes('posthorn_ready', always(1)),
  ...ofNodes('posthorn_lease_held', always(1)),
  ...ofNodes('posthorn_egress_open', always(1)),
  ...ofNodes('posthorn_build_info', always(1), 'version="1.0.0"'),
  ...ofNodes('posthorn_data_disk_free_bytes', always(60e9)),
  ...ofNodes('posthorn_data_disk_size_bytes', always(100e9)),
  ...ofNodes('posthorn_clock_steady', always(1)),
  ...ofNodes('posthorn_clock_ahead_of_machine_seconds', always(0.01)),
  ...ofNodes('posthorn_clock_leaps_total', always(0), 'direction="ahead"'),
  ...ofNodes('posthorn_clock_leaps_total', always(0), 'direction="back"'),
  ...ofNodes('posthorn_retries_pulled_in_total', always(0)),
  ...ofNodes('posthorn_leases_taken_over_total', always(0)),
  ...ofNodes('posthorn_deliveries_expired_total', always(0)),
  ...ofNodes('posthorn_emails_waiting', always(0)),
  ...ofNodes('posthorn_oldest_due_delivery_age_seconds', always(0)),
  ...ofNodes('posthorn_deliveries_pending', always(200)),
  ...ofNodes('posthorn_webhooks_on', always(100)),
  // One dead customer always exists, and no alert may fire for it.
  ...ofNodes('posthorn_webhooks_failing', always(1)),
  ...ofNodes('posthorn_webhooks_disabled_last_hour', always(0)),
  ...ofNodes('posthorn_attempts_recorded_total', rising(6000)),
  ...ofNodes('posthorn_attempts_total', rising(5940), 'dialect="content",outcome="delivered"'),
  ...ofNodes('posthorn_attempts_total', rising(60), 'dialect="content",outcome="connect_timeout"'),
  ...ofNodes('posthorn_attempt_failures_total', rising(60), 'cause="receiver"'),
  ...ofNodes('posthorn_attempt_failures_total', always(0), 'cause="sender"'),
  ...ofNodes('posthorn_request_bodies_refused_total', always(0), 'reason="node"'),
  ...ofNodes('posthorn_request_bodies_refused_total', rising(3), 'reason="slow"'),
  ...ofNodes('posthorn_http_connections_refused_total', always(0), 'reason="node"'),
  ...ofNodes('posthorn_http_connections_refused_total', always(0), 'reason="address"'),
  ...ofNodes('posthorn_failed_authentications_total', always(0), 'credential="key",outcome="throttled"'),
  ...ofNodes('posthorn_failed_authentications_total', rising(3), 'credential="key",outcome="refused"'),
  ...ofNodes('posthorn_consumer_oldest_unacknowledged_age_seconds', always(30)),
  ...ofNodes('posthorn_consumers_with_gap', always(0)),
  ...ofNodes('nodejs_eventloop_lag_p99_seconds', always(0.012)),
  ...ofNode('a', 'posthorn_outbox_source_up', always(1), OUTBOX),
  ...ofNode('a', 'posthorn_outbox_publishing_up', always(1), OUTBOX),
  ...ofNode('a', 'posthorn_outbox_blocked_workspaces', always(0), OUTBOX),
  ...ofNode('a', 'posthorn_outbox_failed_events', always(0), OUTBOX),
  ...ofNode('a', 'posthorn_outbox_oldest_pending_seconds', always(0.5), OUTBOX),
  ...ofNode('a', 'posthorn_outbox_stored_bytes', always(20e6), OUTBOX),
  ...ofNode('a', 'posthorn_outbox_held_bytes', always(0), OUTBOX),
  ...ofNode('a', 'posthorn_outbox_oldest_stored_seconds', always(900), OUTBOX),
}

/** Of the outbox. */
export const ofOutbox = (metric: string, course: Course): Series =>
  ofNode('a', `posthorn_outbox_${metric}`, course, OUTBOX)
