/**
 * Events, deliveries and attempts are partitioned by the day (UTC) of their event, so that retention drops days instead of
 * deleting rows. A delivery has its event's `created_at`, and an attempt its delivery's.
 *
 * A delivery that succeeds at the first attempt is inserted, and updated once. PostgreSQL updates a row in place (HOT) when no
 * indexed column changes and its page has room. That explains the fill factor and the missing indexes: waiting, leased, failed
 * and retried deliveries are found by tables and columns that a success never changes.
 *
 * A delivery that was canceled because it was still pending after the retention has a `cancel_reason`; one that ended with its
 * webhook has none. `expired_days` lists the days of these deliveries, since they are kept for a while longer.
 */
export const events = `
CREATE TABLE events (
  id bigint NOT NULL,
  workspace_id bigint NOT NULL,
  type text NOT NULL,
  brought_id text,
  fingerprint bytea,
  body text NOT NULL,
  created_at bigint NOT NULL,
  xact bigint,
  CHECK (fingerprint IS NULL OR brought_id IS NOT NULL),
  PRIMARY KEY (id, created_at)
) PARTITION BY RANGE (created_at);
CREATE INDEX events_feed ON events (workspace_id, xact, id) WHERE xact IS NOT NULL;

CREATE TABLE brought_ids (
  workspace_id bigint NOT NULL,
  brought_id text NOT NULL,
  event_id bigint NOT NULL,
  fingerprint bytea,
  created_at bigint NOT NULL,
  PRIMARY KEY (workspace_id, brought_id)
);
CREATE INDEX brought_ids_by_age ON brought_ids (created_at);

CREATE TABLE recent_events (
  workspace_id bigint NOT NULL,
  type text NOT NULL,
  created_at bigint NOT NULL,
  event_id bigint NOT NULL,
  PRIMARY KEY (workspace_id, type, created_at, event_id)
);
CREATE INDEX recent_events_by_age ON recent_events (created_at);

CREATE TABLE deliveries (
  id bigint NOT NULL,
  created_at bigint NOT NULL,
  event_id bigint NOT NULL,
  webhook_id bigint NOT NULL,
  next_attempt_at bigint,
  lease bigint,
  finished_at bigint,
  first_started_at bigint,
  first_duration_ms integer,
  first_webhook_version bigint,
  attempts integer NOT NULL,
  run_start integer NOT NULL,
  first_status_code smallint,
  status text NOT NULL,
  trigger text NOT NULL CHECK (trigger IN ('schedule', 'redeliver', 'replay', 'test')),
  ended_badly text,
  first_content_type text,
  first_body bytea,
  cancel_reason text CHECK (cancel_reason = 'expired'),
  CHECK (CASE status
    WHEN 'pending' THEN next_attempt_at IS NOT NULL AND finished_at IS NULL
    WHEN 'delivered' THEN next_attempt_at IS NULL AND finished_at IS NOT NULL AND lease IS NULL
    WHEN 'canceled' THEN next_attempt_at IS NULL AND finished_at IS NOT NULL
    WHEN 'failed' THEN next_attempt_at IS NULL AND finished_at IS NOT NULL AND lease IS NULL
    WHEN 'dead' THEN next_attempt_at IS NULL AND finished_at IS NOT NULL AND lease IS NULL
    ELSE false END),
  CONSTRAINT deliveries_ended_badly_check CHECK (
    CASE WHEN status IN ('failed', 'dead', 'canceled') THEN ended_badly IS NOT DISTINCT FROM status
      WHEN status = 'pending' AND attempts > 0 THEN ended_badly IS NULL OR ended_badly = 'retrying'
      ELSE ended_badly IS NULL END),
  CONSTRAINT deliveries_check2 CHECK (run_start >= 0 AND run_start <= attempts),
  CONSTRAINT deliveries_check3 CHECK (first_started_at IS NULL OR attempts > 0),
  PRIMARY KEY (id, created_at)
) PARTITION BY RANGE (created_at);
CREATE INDEX deliveries_of_webhook ON deliveries (webhook_id, created_at, id);
CREATE INDEX deliveries_unhealthy ON deliveries (webhook_id, ended_badly, created_at, id)
  WHERE ended_badly IS NOT NULL;

CREATE TABLE attempts (
  delivery_id bigint NOT NULL,
  created_at bigint NOT NULL,
  number integer NOT NULL CHECK (number > 0),
  trigger text NOT NULL CHECK (trigger IN ('schedule', 'redeliver', 'replay', 'test')),
  webhook_version bigint,
  started_at bigint NOT NULL,
  duration_ms integer NOT NULL,
  status_code smallint,
  error_code text,
  error_message text,
  content_type text,
  response_body bytea,
  PRIMARY KEY (delivery_id, number, created_at)
) PARTITION BY RANGE (created_at);

CREATE TABLE expired_days (
  from_time bigint PRIMARY KEY,
  last_expired_at bigint NOT NULL
);
`
