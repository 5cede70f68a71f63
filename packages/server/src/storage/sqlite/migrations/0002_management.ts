/**
 * What managing webhooks by API needs: lists by time, a feed of events in the order of their commits, what each
 * attempt was sent with, sessions, bulk replays, an audit log, idempotency keys.
 *
 * A feed's order cannot be that of event ids: nodes reserve them ahead. Rows of unhealthy deliveries have an index of
 * their own, so that finding the dead among millions costs the healthy nothing.
 */
export const management = `
ALTER TABLE store ADD COLUMN next_event_seq INTEGER NOT NULL DEFAULT 1;
ALTER TABLE events ADD COLUMN seq INTEGER;
UPDATE events SET seq = id WHERE type <> 'webhook.test';
UPDATE store SET next_event_seq = next_event_id;
CREATE UNIQUE INDEX events_feed ON events (workspace_id, seq) WHERE seq IS NOT NULL;

DROP INDEX deliveries_of_webhook;
CREATE INDEX deliveries_of_webhook ON deliveries (webhook_id, created_at);
CREATE INDEX deliveries_unhealthy ON deliveries (webhook_id, status, created_at)
  WHERE status = 'failed' OR status = 'dead' OR status = 'canceled';
ALTER TABLE deliveries ADD COLUMN first_webhook_version INTEGER;
ALTER TABLE attempts ADD COLUMN webhook_version INTEGER;

CREATE TABLE webhook_urls (
  webhook_id INTEGER NOT NULL REFERENCES webhooks,
  from_version INTEGER NOT NULL,
  url TEXT NOT NULL,
  PRIMARY KEY (webhook_id, from_version)
) STRICT, WITHOUT ROWID;
INSERT INTO webhook_urls (webhook_id, from_version, url) SELECT id, 0, url FROM webhooks;
ALTER TABLE secrets ADD COLUMN from_version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE secrets ADD COLUMN until_version INTEGER;

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  public_id TEXT NOT NULL UNIQUE,
  member_id INTEGER NOT NULL REFERENCES members ON DELETE CASCADE,
  hash BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_of_member ON sessions (member_id);
CREATE INDEX sessions_expiring ON sessions (expires_at);

CREATE TABLE replays (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  public_id TEXT NOT NULL UNIQUE,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  webhook_id INTEGER,
  event_type TEXT,
  from_time INTEGER,
  to_time INTEGER,
  max INTEGER NOT NULL CHECK (max > 0),
  total INTEGER NOT NULL,
  replayed INTEGER NOT NULL DEFAULT 0,
  at_webhook_id INTEGER NOT NULL DEFAULT 0,
  at_time INTEGER NOT NULL DEFAULT 0,
  at_delivery_id INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  CHECK (replayed >= 0 AND replayed <= max)
) STRICT;
CREATE INDEX replays_of_workspace ON replays (workspace_id);
CREATE INDEX replays_unfinished ON replays (id) WHERE finished_at IS NULL;

CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  action TEXT NOT NULL,
  actor_type TEXT NOT NULL CHECK (actor_type IN ('operator', 'key', 'member', 'system')),
  actor_id TEXT,
  session_id TEXT,
  workspace_public_id TEXT NOT NULL,
  target_type TEXT NOT NULL,
  target_id TEXT NOT NULL,
  details TEXT NOT NULL CHECK (json_type(details) = 'object'),
  request_id TEXT
) STRICT;
CREATE INDEX audit_log_of_workspace ON audit_log (workspace_public_id);
CREATE INDEX audit_log_of_target ON audit_log (target_id);

CREATE TABLE idempotency_keys (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint BLOB NOT NULL,
  verb TEXT NOT NULL,
  result TEXT NOT NULL,
  memo BLOB,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
`
