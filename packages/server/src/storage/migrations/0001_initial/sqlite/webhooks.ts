/**
 * Triggers record since when a webhook receives nothing because it is off or paused (`stopped_at`, `null` while it is on), and
 * its version when it was last disabled, so that no code that changes the status can forget to.
 */
export const webhooks = `
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
  deleted_at INTEGER,
  stopped_at INTEGER,
  disabled_version INTEGER,
  disabled_at INTEGER CHECK ((disabled_at IS NULL) = (disabled_version IS NULL)),
  CHECK ((status = 'off') = (off_reason IS NOT NULL)),
  CHECK (warned = 0 OR failing_since IS NOT NULL),
  CHECK ((canceled_through IS NULL) = (canceled_at IS NULL))
) STRICT;
CREATE INDEX webhooks_of_workspace ON webhooks (workspace_id);
CREATE INDEX webhooks_canceling ON webhooks (canceled_at) WHERE canceled_through IS NOT NULL;
CREATE INDEX webhooks_deleted ON webhooks (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TRIGGER note_stop AFTER UPDATE OF status ON webhooks WHEN NEW.status <> OLD.status
BEGIN
  UPDATE webhooks SET stopped_at = CASE
      WHEN NEW.status = 'on' THEN NULL
      WHEN OLD.status = 'on' THEN NEW.updated_at
      ELSE OLD.stopped_at END
    WHERE id = NEW.id;
END;

CREATE TRIGGER note_disabling AFTER UPDATE OF status ON webhooks WHEN NEW.status = 'off' AND OLD.status <> 'off'
BEGIN
  UPDATE webhooks SET disabled_version = NEW.version, disabled_at = NEW.updated_at WHERE id = NEW.id;
END;

CREATE TABLE webhook_urls (
  webhook_id INTEGER NOT NULL REFERENCES webhooks,
  from_version INTEGER NOT NULL,
  url TEXT NOT NULL,
  PRIMARY KEY (webhook_id, from_version)
) STRICT, WITHOUT ROWID;

CREATE TABLE secrets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id INTEGER NOT NULL REFERENCES webhooks,
  sealed BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  from_version INTEGER NOT NULL DEFAULT 0,
  until_version INTEGER
) STRICT;
CREATE INDEX secrets_of_webhook ON secrets (webhook_id);
CREATE UNIQUE INDEX secrets_current ON secrets (webhook_id) WHERE expires_at IS NULL;
CREATE INDEX secrets_expiring ON secrets (expires_at) WHERE expires_at IS NOT NULL;
`
