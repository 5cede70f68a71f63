/**
 * Only tables with few changes have foreign keys. Events, deliveries and attempts have none: SQLite would look up the parent of
 * every child, and would need an index on `deliveries.event_id` to delete an event. Their CHECKs use no IN either: SQLite
 * builds a temporary table for its list each time, which made a delivery 4 µs more expensive than comparisons.
 *
 * The order of the feed (`seq`) cannot be that of event ids: nodes reserve these in advance. Failed and retried deliveries have
 * indexes of their own, so that finding them among millions costs the others nothing. A delivery that was canceled because it
 * was still pending after the retention has a `cancel_reason`; one that ended with its webhook has none.
 *
 * A set of webhooks is written once for all events that match it and whose deliveries are created after the response, and is
 * deleted with the last of them. `waiting` counts deliveries that are not created yet.
 */
export const events = `
CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  workspace_id INTEGER NOT NULL,
  type TEXT NOT NULL,
  brought_id TEXT,
  fingerprint BLOB,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  first_delivery_id INTEGER NOT NULL,
  delivery_count INTEGER NOT NULL CHECK (delivery_count >= 0),
  seq INTEGER,
  CHECK (fingerprint IS NULL OR brought_id IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX events_brought ON events (workspace_id, brought_id) WHERE brought_id IS NOT NULL;
CREATE UNIQUE INDEX events_feed ON events (workspace_id, seq) WHERE seq IS NOT NULL;

CREATE TABLE recent_events (
  workspace_id INTEGER NOT NULL,
  type TEXT NOT NULL,
  event_id INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, type, event_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE deliveries (
  id INTEGER PRIMARY KEY,
  event_id INTEGER NOT NULL,
  webhook_id INTEGER NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  trigger TEXT NOT NULL,
  run_start INTEGER NOT NULL,
  next_attempt_at INTEGER,
  lease INTEGER,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  first_started_at INTEGER,
  first_duration_ms INTEGER,
  first_status_code INTEGER,
  first_content_type TEXT,
  first_body BLOB,
  first_webhook_version INTEGER,
  cancel_reason TEXT CHECK (cancel_reason IS NULL OR cancel_reason = 'expired' AND status = 'canceled'),
  CHECK (CASE status
    WHEN 'pending' THEN next_attempt_at IS NOT NULL AND finished_at IS NULL
    WHEN 'delivered' THEN next_attempt_at IS NULL AND finished_at IS NOT NULL AND lease IS NULL
    WHEN 'canceled' THEN next_attempt_at IS NULL AND finished_at IS NOT NULL
    WHEN 'failed' THEN next_attempt_at IS NULL AND finished_at IS NOT NULL AND lease IS NULL
    WHEN 'dead' THEN next_attempt_at IS NULL AND finished_at IS NOT NULL AND lease IS NULL
    ELSE FALSE END),
  CHECK (trigger = 'schedule' OR trigger = 'redeliver' OR trigger = 'replay' OR trigger = 'test'),
  CHECK (run_start >= 0 AND run_start <= attempts),
  CHECK (first_started_at IS NULL OR attempts > 0)
) STRICT;
CREATE INDEX deliveries_waiting ON deliveries (webhook_id, next_attempt_at) WHERE status = 'pending' AND lease IS NULL;
CREATE INDEX deliveries_leased ON deliveries (lease) WHERE lease IS NOT NULL;
CREATE INDEX deliveries_of_webhook ON deliveries (webhook_id, created_at);
CREATE INDEX deliveries_unhealthy ON deliveries (webhook_id, status, created_at)
  WHERE status = 'failed' OR status = 'dead' OR status = 'canceled';
CREATE INDEX deliveries_retrying ON deliveries (webhook_id, created_at) WHERE status = 'pending' AND attempts > 0;

CREATE TABLE attempts (
  delivery_id INTEGER NOT NULL,
  number INTEGER NOT NULL CHECK (number > 0),
  trigger TEXT NOT NULL
    CHECK (trigger = 'schedule' OR trigger = 'redeliver' OR trigger = 'replay' OR trigger = 'test'),
  started_at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  status_code INTEGER,
  error_code TEXT,
  error_message TEXT,
  content_type TEXT,
  response_body BLOB,
  webhook_version INTEGER,
  PRIMARY KEY (delivery_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE match_sets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL,
  webhooks TEXT NOT NULL CHECK (json_type(webhooks) = 'array')
) STRICT;

CREATE TABLE fanouts (
  event_id INTEGER PRIMARY KEY,
  workspace_id INTEGER NOT NULL,
  set_id INTEGER NOT NULL REFERENCES match_sets,
  position INTEGER NOT NULL DEFAULT 0 CHECK (position >= 0)
) STRICT;
CREATE INDEX fanouts_of_workspace ON fanouts (workspace_id, event_id);
CREATE INDEX fanouts_of_set ON fanouts (set_id);

CREATE TABLE fanout_queues (
  workspace_id INTEGER PRIMARY KEY,
  waiting INTEGER NOT NULL CHECK (waiting > 0)
) STRICT;
`
