/**
 * Events whose deliveries are made after the acknowledgement. A set of webhooks is written once for all events that were
 * matched with it, and goes with the last of them. `waiting` counts deliveries to be made. Which version of a webhook was
 * disabled last is noted by a trigger, so that no path that disables one can forget to.
 */
export const fanouts = `
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

ALTER TABLE webhooks ADD COLUMN disabled_version INTEGER;
ALTER TABLE webhooks ADD COLUMN disabled_at INTEGER CHECK ((disabled_at IS NULL) = (disabled_version IS NULL));
CREATE TRIGGER note_disabling AFTER UPDATE OF status ON webhooks WHEN NEW.status = 'off' AND OLD.status <> 'off'
BEGIN
  UPDATE webhooks SET disabled_version = NEW.version, disabled_at = NEW.updated_at WHERE id = NEW.id;
END;
`
