CREATE TABLE migrations (
      version INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      checksum TEXT NOT NULL,
      applied_at INTEGER NOT NULL
    ) STRICT;

CREATE TABLE store (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  id_key BLOB NOT NULL CHECK (length(id_key) = 16),
  next_event_id INTEGER NOT NULL,
  next_delivery_id INTEGER NOT NULL
, next_event_seq INTEGER NOT NULL DEFAULT 1) STRICT;

CREATE TABLE nodes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  lease_until INTEGER NOT NULL
, started_at INTEGER) STRICT;

CREATE TABLE sqlite_sequence(name,seq);

CREATE TABLE workspaces (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  public_id TEXT NOT NULL UNIQUE,
  dialect TEXT NOT NULL,
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  suspended_at INTEGER,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;

CREATE UNIQUE INDEX workspaces_slug ON workspaces (slug, dialect) WHERE deleted_at IS NULL;

CREATE INDEX workspaces_deleted ON workspaces (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE members (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  public_id TEXT NOT NULL UNIQUE,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  email TEXT NOT NULL COLLATE NOCASE,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'editor', 'viewer')),
  created_at INTEGER NOT NULL, failing_warnings INTEGER NOT NULL DEFAULT 1 CHECK (failing_warnings IN (0, 1)),
  UNIQUE (workspace_id, email)
) STRICT;

CREATE TABLE keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  public_id TEXT NOT NULL UNIQUE,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  member_id INTEGER REFERENCES members ON DELETE SET NULL,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL CHECK (json_type(scopes) = 'array'),
  hash BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT;

CREATE INDEX keys_of_workspace ON keys (workspace_id);

CREATE INDEX keys_of_member ON keys (member_id) WHERE member_id IS NOT NULL;

CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  public_id TEXT NOT NULL UNIQUE,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  url TEXT NOT NULL,
  event_types TEXT NOT NULL CHECK (json_type(event_types) = 'array'),
  description TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('on', 'off', 'paused')),
  off_reason TEXT CHECK (off_reason IN ('gone', 'failing', 'manual')),
  failing_since INTEGER,
  warned INTEGER NOT NULL DEFAULT 0 CHECK (warned IN (0, 1)),
  created_by_type TEXT NOT NULL CHECK (created_by_type IN ('member', 'key')),
  created_by_public_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  canceled_through INTEGER,
  canceled_at INTEGER,
  deleted_at INTEGER, stopped_at INTEGER, disabled_version INTEGER, disabled_at INTEGER CHECK ((disabled_at IS NULL) = (disabled_version IS NULL)),
  CHECK ((status = 'off') = (off_reason IS NOT NULL)),
  CHECK (warned = 0 OR failing_since IS NOT NULL),
  CHECK ((canceled_through IS NULL) = (canceled_at IS NULL))
) STRICT;

CREATE INDEX webhooks_of_workspace ON webhooks (workspace_id);

CREATE INDEX webhooks_canceling ON webhooks (canceled_at) WHERE canceled_through IS NOT NULL;

CREATE INDEX webhooks_deleted ON webhooks (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE secrets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id INTEGER NOT NULL REFERENCES webhooks,
  sealed BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
, from_version INTEGER NOT NULL DEFAULT 0, until_version INTEGER) STRICT;

CREATE INDEX secrets_of_webhook ON secrets (webhook_id);

CREATE UNIQUE INDEX secrets_current ON secrets (webhook_id) WHERE expires_at IS NULL;

CREATE INDEX secrets_expiring ON secrets (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  workspace_id INTEGER NOT NULL,
  type TEXT NOT NULL,
  brought_id TEXT,
  fingerprint BLOB,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  first_delivery_id INTEGER NOT NULL,
  delivery_count INTEGER NOT NULL CHECK (delivery_count >= 0), seq INTEGER,
  CHECK (fingerprint IS NULL OR brought_id IS NOT NULL)
) STRICT;

CREATE UNIQUE INDEX events_brought ON events (workspace_id, brought_id) WHERE brought_id IS NOT NULL;

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
  first_body BLOB, first_webhook_version INTEGER, cancel_reason TEXT
  CHECK (cancel_reason IS NULL OR cancel_reason = 'expired' AND status = 'canceled'),
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
  response_body BLOB, webhook_version INTEGER,
  PRIMARY KEY (delivery_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE manual_sends (
  id INTEGER PRIMARY KEY,
  workspace_id INTEGER NOT NULL,
  sent_at INTEGER NOT NULL
) STRICT;

CREATE INDEX manual_sends_of_workspace ON manual_sends (workspace_id, sent_at);

CREATE INDEX manual_sends_by_age ON manual_sends (sent_at);

CREATE UNIQUE INDEX events_feed ON events (workspace_id, seq) WHERE seq IS NOT NULL;

CREATE INDEX deliveries_of_webhook ON deliveries (webhook_id, created_at);

CREATE INDEX deliveries_unhealthy ON deliveries (webhook_id, status, created_at)
  WHERE status = 'failed' OR status = 'dead' OR status = 'canceled';

CREATE TABLE webhook_urls (
  webhook_id INTEGER NOT NULL REFERENCES webhooks,
  from_version INTEGER NOT NULL,
  url TEXT NOT NULL,
  PRIMARY KEY (webhook_id, from_version)
) STRICT, WITHOUT ROWID;

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
  created_at INTEGER NOT NULL, memo_until INTEGER,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

CREATE TABLE moved (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  place TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE "notifications" (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  message_key TEXT NOT NULL UNIQUE DEFAULT (lower(hex(randomblob(16)))),
  kind TEXT NOT NULL CHECK (kind IN ('webhook_off', 'webhook_failing', 'sign_in')),
  workspace_id INTEGER,
  webhook_id INTEGER,
  member_id INTEGER REFERENCES members ON DELETE SET NULL,
  to_email TEXT,
  sealed BLOB,
  data TEXT NOT NULL CHECK (json_type(data) = 'object'),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  due_at INTEGER NOT NULL DEFAULT 0,
  claim TEXT,
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  last_error TEXT,
  sent_at INTEGER,
  given_up_at INTEGER,
  CHECK (sent_at IS NULL OR given_up_at IS NULL),
  CHECK ((kind = 'sign_in') = (to_email IS NOT NULL)),
  CHECK (kind = 'sign_in' OR (workspace_id IS NOT NULL AND webhook_id IS NOT NULL AND sealed IS NULL)),
  CHECK (kind <> 'sign_in' OR expires_at IS NOT NULL),
  CHECK (kind <> 'sign_in' OR (sealed IS NULL) = (sent_at IS NOT NULL OR given_up_at IS NOT NULL))
) STRICT;

CREATE INDEX notifications_of_member ON notifications (member_id) WHERE member_id IS NOT NULL;

CREATE TRIGGER note_stop AFTER UPDATE OF status ON webhooks WHEN NEW.status <> OLD.status
BEGIN
  UPDATE webhooks SET stopped_at = CASE
      WHEN NEW.status = 'on' THEN NULL
      WHEN OLD.status = 'on' THEN NEW.updated_at
      ELSE OLD.stopped_at END
    WHERE id = NEW.id;
END;

CREATE INDEX members_of_email ON members (email);

CREATE TABLE operators (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  public_id TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL UNIQUE COLLATE NOCASE,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE browser_sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  public_id TEXT NOT NULL UNIQUE,
  email TEXT COLLATE NOCASE,
  hash BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX browser_sessions_of_email ON browser_sessions (email);

CREATE INDEX browser_sessions_expiring ON browser_sessions (expires_at);

CREATE TABLE sign_in_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('email', 'operator', 'portal')),
  email TEXT COLLATE NOCASE,
  member_id INTEGER REFERENCES members ON DELETE CASCADE,
  hash BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  CHECK ((kind = 'portal') = (member_id IS NOT NULL)),
  CHECK ((kind = 'portal') = (email IS NULL))
) STRICT;

CREATE INDEX sign_in_links_of_email ON sign_in_links (email, created_at) WHERE email IS NOT NULL;

CREATE INDEX sign_in_links_of_member ON sign_in_links (member_id) WHERE member_id IS NOT NULL;

CREATE INDEX sign_in_links_expiring ON sign_in_links (expires_at);

CREATE INDEX deliveries_retrying ON deliveries (webhook_id, created_at) WHERE status = 'pending' AND attempts > 0;

CREATE TABLE figures_deltas (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  scope TEXT NOT NULL,
  data TEXT NOT NULL,
  CHECK (scope = 'workspace' OR scope = 'webhook')
) STRICT;

CREATE TABLE figures (
  id INTEGER PRIMARY KEY,
  unit TEXT NOT NULL CHECK (unit IN ('minute', 'hour', 'day')),
  scope TEXT NOT NULL CHECK (scope IN ('all', 'workspace', 'webhook')),
  at INTEGER NOT NULL,
  sheet INTEGER NOT NULL,
  data TEXT NOT NULL,
  UNIQUE (unit, scope, at, sheet)
) STRICT;

CREATE TABLE queue_samples (
  at INTEGER PRIMARY KEY,
  pending INTEGER NOT NULL CHECK (pending >= 0),
  due INTEGER NOT NULL CHECK (due >= 0),
  oldest_due_at INTEGER,
  CHECK ((due = 0) = (oldest_due_at IS NULL))
) STRICT;

CREATE INDEX notifications_of_webhook ON notifications (webhook_id, created_at)
  WHERE kind = 'webhook_off' AND given_up_at IS NULL;

CREATE INDEX notifications_waiting ON notifications
  ((CASE WHEN kind = 'sign_in' THEN 0 WHEN attempts > 0 THEN 1 ELSE 2 END), due_at)
  WHERE sent_at IS NULL AND given_up_at IS NULL;

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

CREATE TRIGGER note_disabling AFTER UPDATE OF status ON webhooks WHEN NEW.status = 'off' AND OLD.status <> 'off'
BEGIN
  UPDATE webhooks SET disabled_version = NEW.version, disabled_at = NEW.updated_at WHERE id = NEW.id;
END;

CREATE INDEX idempotency_keys_by_memo ON idempotency_keys (memo_until) WHERE memo_until IS NOT NULL;

CREATE TABLE clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  steady_at INTEGER,
  leapt_at INTEGER
) STRICT;
