import { byForm, type EventForm } from '../eventForms.ts'

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
const path = (member: string) => quoted(`$."${member}"`)

/** Unix ms. SQLite has no function for it before 3.42. */
const NOW_MS = "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)"
/** A UUID of version 7, of `t`, the time in ms, and the random `r`, in hexadecimal digits. */
const UUID = `printf('%s-%s-7%s-%s%s-%s', substr(t, 1, 8), substr(t, 9, 4), substr(r, 1, 3), substr('89ab', 1 + (abs(random()) % 4), 1), substr(r, 4, 3), substr(r, 7, 12))`

/** The SQL that sets up the outbox in a producer's SQLite database. Running it again changes nothing but the triggers. */
export function outboxSqliteSql(forms: readonly EventForm[]): string {
  return `-- Posthorn's transactional outbox for SQLite 3.38 or later. Run this file once; again after an upgrade of Posthorn.
-- Emit within any transaction:
--   INSERT INTO posthorn_outbox (workspace, event) VALUES ('acme', '{"type": "order.created", "data": {}}');
-- With "PRAGMA journal_mode = WAL" the relay and the application do not wait for each other.

BEGIN IMMEDIATE;

-- Events in the order in which they were emitted. The relay deletes those that were published.
CREATE TABLE IF NOT EXISTS posthorn_outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace TEXT NOT NULL,
  event TEXT NOT NULL,
  emitted_at INTEGER NOT NULL DEFAULT (${NOW_MS})
);

-- Events that wait because their workspace is blocked, and those that failed because Posthorn rejected them.
CREATE TABLE IF NOT EXISTS posthorn_outbox_held (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace TEXT NOT NULL,
  event TEXT NOT NULL,
  event_id TEXT NOT NULL,
  -- The id in the outbox.
  source_id INTEGER NOT NULL UNIQUE,
  emitted_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'failed')),
  reason TEXT NOT NULL,
  held_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS posthorn_outbox_held_by_state ON posthorn_outbox_held (state, workspace, position);

-- The relay that works, so that a second one waits.
CREATE TABLE IF NOT EXISTS posthorn_outbox_lease (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  relay TEXT NOT NULL,
  leased_until INTEGER NOT NULL
);

DROP TRIGGER IF EXISTS posthorn_outbox_check;
CREATE TRIGGER posthorn_outbox_check BEFORE INSERT ON posthorn_outbox BEGIN
  SELECT raise(ABORT, 'posthorn_outbox: give the workspace') WHERE NEW.workspace IS NULL OR NEW.workspace = '';
  SELECT raise(ABORT, 'posthorn_outbox: the workspace may have at most 255 characters') WHERE length(NEW.workspace) > 255;
  SELECT raise(ABORT, 'posthorn_outbox: give the event as a JSON object with a "type", as in {"type": "order.created", "data": {}}')
    WHERE NEW.event IS NULL OR NOT json_valid(NEW.event) OR json_type(NEW.event) <> 'object'
      OR json_type(NEW.event, '$.type') IS NOT 'text';
END;

-- Gives the event its id and its time.
DROP TRIGGER IF EXISTS posthorn_outbox_complete;
CREATE TRIGGER posthorn_outbox_complete AFTER INSERT ON posthorn_outbox BEGIN
  UPDATE posthorn_outbox SET event = (
    SELECT json_set(NEW.event,
      '$.id', coalesce(json_extract(NEW.event, '$.id'), ${byForm(forms, hasMember, idOf)}),
      ${byForm(forms, hasMember, ({ time }) => path(time))},
      coalesce(json_extract(NEW.event, ${byForm(forms, hasMember, ({ time }) => path(time))}), strftime('%Y-%m-%dT%H:%M:%fZ', 'now')))
    FROM (SELECT printf('%012x', ${NOW_MS}) AS t, lower(hex(randomblob(10))) AS r)
  ) WHERE id = NEW.id;
END;

COMMIT;
`
}

const idOf = ({ idPrefix }: EventForm): string => (idPrefix === null ? UUID : `${quoted(idPrefix)} || t || r`)

const hasMember = (member: string): string => `json_type(NEW.event, ${path(member)}) IS NOT NULL`
