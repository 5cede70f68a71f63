const allowTriggers = (table: string): string => `
UPDATE sqlite_schema SET sql = replace(sql,
    'CHECK (trigger = ''schedule'' OR trigger = ''redeliver'' OR trigger = ''replay'' OR trigger = ''test'')',
    'CHECK (trigger = ''schedule'' OR trigger = ''retry'' OR trigger = ''redeliver'' OR trigger = ''replay''
      OR trigger = ''recover'' OR trigger = ''test'')')
  WHERE type = 'table' AND name = '${table}';
`

/**
 * The PostgreSQL migration explains the columns. The CHECK on triggers is changed in the schema itself: any other way would
 * rewrite all deliveries.
 */
export const sqlite = `
PRAGMA writable_schema = ON;
${allowTriggers('deliveries')}${allowTriggers('attempts')}
PRAGMA writable_schema = RESET;

ALTER TABLE deliveries ADD COLUMN retry_number INTEGER;
ALTER TABLE deliveries ADD COLUMN replay_id INTEGER;

ALTER TABLE replays ADD COLUMN trigger TEXT NOT NULL DEFAULT 'replay' CHECK (trigger IN ('replay', 'recover'));
ALTER TABLE replays ADD COLUMN statuses TEXT NOT NULL DEFAULT '["dead"]' CHECK (json_type(statuses) = 'array');
ALTER TABLE replays ADD COLUMN event_types TEXT NOT NULL DEFAULT '[]' CHECK (json_type(event_types) = 'array');
ALTER TABLE replays ADD COLUMN delivered INTEGER NOT NULL DEFAULT 0 CHECK (delivered >= 0);
ALTER TABLE replays ADD COLUMN failed INTEGER NOT NULL DEFAULT 0 CHECK (failed >= 0);
ALTER TABLE replays ADD COLUMN done_at INTEGER;
ALTER TABLE replays ADD COLUMN canceled_at INTEGER CHECK (canceled_at IS NULL OR done_at IS NULL AND finished_at IS NOT NULL);
UPDATE replays SET event_types = json_array(event_type) WHERE event_type IS NOT NULL;
ALTER TABLE replays DROP COLUMN event_type;
CREATE INDEX replays_recovering ON replays (webhook_id)
  WHERE trigger = 'recover' AND done_at IS NULL AND canceled_at IS NULL;

CREATE TRIGGER cancel_recoveries AFTER UPDATE ON webhooks
  WHEN NEW.status <> 'on' AND OLD.status = 'on' OR NEW.deleted_at IS NOT NULL AND OLD.deleted_at IS NULL
BEGIN
  UPDATE replays SET canceled_at = coalesce(NEW.deleted_at, NEW.updated_at),
      finished_at = coalesce(finished_at, NEW.deleted_at, NEW.updated_at)
    WHERE webhook_id = NEW.id AND trigger = 'recover' AND done_at IS NULL AND canceled_at IS NULL;
END;

CREATE TRIGGER cancel_suspended_recoveries AFTER UPDATE OF suspended_at ON workspaces
  WHEN NEW.suspended_at IS NOT NULL AND OLD.suspended_at IS NULL
BEGIN
  UPDATE replays SET canceled_at = NEW.suspended_at, finished_at = coalesce(finished_at, NEW.suspended_at)
    WHERE workspace_id = NEW.id AND trigger = 'recover' AND done_at IS NULL AND canceled_at IS NULL;
END;

CREATE TABLE retries (
  webhook_id INTEGER PRIMARY KEY REFERENCES webhooks,
  asked_at INTEGER NOT NULL,
  batch TEXT NOT NULL CHECK (json_type(batch) = 'array'),
  size INTEGER NOT NULL CHECK (size > 0),
  delivered INTEGER NOT NULL DEFAULT 0 CHECK (delivered >= 0),
  outcome TEXT CHECK (outcome IN ('done', 'failed', 'stopped')),
  ended_at INTEGER,
  CHECK ((outcome IS NULL) = (ended_at IS NULL))
) STRICT;
CREATE INDEX retries_running ON retries (webhook_id) WHERE ended_at IS NULL;

ALTER TABLE webhooks ADD COLUMN holds INTEGER NOT NULL DEFAULT 0 CHECK (holds IN (0, 1));

CREATE TABLE stops (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  webhook_id INTEGER REFERENCES webhooks,
  status TEXT NOT NULL CHECK (status IN ('paused', 'off', 'suspended')),
  began_at INTEGER NOT NULL,
  began_after INTEGER NOT NULL,
  ended_at INTEGER,
  ended_after INTEGER,
  CHECK ((webhook_id IS NULL) = (status = 'suspended')),
  CHECK ((ended_at IS NULL) = (ended_after IS NULL))
) STRICT;
CREATE INDEX stops_of_webhook ON stops (webhook_id, id) WHERE webhook_id IS NOT NULL;
CREATE INDEX stops_of_workspace ON stops (workspace_id, id) WHERE webhook_id IS NULL;
CREATE INDEX stops_ended ON stops (ended_at) WHERE ended_at IS NOT NULL;

INSERT INTO stops (workspace_id, webhook_id, status, began_at, began_after)
  SELECT w.workspace_id, w.id, w.status, w.stopped_at, coalesce((
      SELECT seq FROM events e INDEXED BY events_feed
      WHERE e.workspace_id = w.workspace_id AND seq IS NOT NULL AND e.created_at < w.stopped_at
      ORDER BY seq DESC LIMIT 1), 0)
  FROM webhooks w WHERE w.stopped_at IS NOT NULL AND w.deleted_at IS NULL;
INSERT INTO stops (workspace_id, status, began_at, began_after)
  SELECT s.id, 'suspended', s.suspended_at, coalesce((
      SELECT seq FROM events e INDEXED BY events_feed
      WHERE e.workspace_id = s.id AND seq IS NOT NULL AND e.created_at < s.suspended_at
      ORDER BY seq DESC LIMIT 1), 0)
  FROM workspaces s WHERE s.suspended_at IS NOT NULL AND s.deleted_at IS NULL;

CREATE TRIGGER keep_stops AFTER UPDATE OF status ON webhooks WHEN NEW.status <> OLD.status
BEGIN
  UPDATE stops SET ended_at = NEW.updated_at, ended_after = (SELECT next_event_seq - 1 FROM store)
    WHERE webhook_id = NEW.id AND ended_at IS NULL;
  INSERT INTO stops (workspace_id, webhook_id, status, began_at, began_after)
    SELECT NEW.workspace_id, NEW.id, NEW.status, NEW.updated_at, next_event_seq - 1 FROM store
    WHERE NEW.status = 'off' OR NEW.status = 'paused' AND NEW.holds = 0;
END;
`
