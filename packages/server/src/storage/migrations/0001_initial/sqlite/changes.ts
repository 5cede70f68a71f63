/**
 * Actions of people and services: tests and redeliveries, bulk replays, the audit log, idempotency records. The response data
 * of a record may be secret: then it expires (`memo_until`) and is deleted.
 */
export const changes = `
CREATE TABLE manual_sends (
  id INTEGER PRIMARY KEY,
  workspace_id INTEGER NOT NULL,
  sent_at INTEGER NOT NULL
) STRICT;
CREATE INDEX manual_sends_of_workspace ON manual_sends (workspace_id, sent_at);
CREATE INDEX manual_sends_by_age ON manual_sends (sent_at);

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
  memo_until INTEGER,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
CREATE INDEX idempotency_keys_by_memo ON idempotency_keys (memo_until) WHERE memo_until IS NOT NULL;
`
