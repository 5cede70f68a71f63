/** The PostgreSQL migration explains the tables. Here a segment is deleted once all of its events have expired. */
export const sqlite = `
CREATE TABLE search_progress (
  workspace_id INTEGER PRIMARY KEY,
  major INTEGER NOT NULL DEFAULT 0,
  minor INTEGER NOT NULL DEFAULT 0,
  reached_at INTEGER NOT NULL DEFAULT 0,
  next_segment INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE TABLE search_segments (
  workspace_id INTEGER NOT NULL,
  segment INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  filled INTEGER NOT NULL CHECK (filled > 0 AND filled <= 1024),
  PRIMARY KEY (workspace_id, segment)
) STRICT, WITHOUT ROWID;
CREATE INDEX search_segments_by_age ON search_segments (last_at);

CREATE TABLE search_events (
  workspace_id INTEGER NOT NULL,
  segment INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  event_id INTEGER NOT NULL,
  event_at INTEGER NOT NULL,
  test INTEGER NOT NULL CHECK (test IN (0, 1)),
  PRIMARY KEY (workspace_id, segment, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE search_terms (
  workspace_id INTEGER NOT NULL,
  segment INTEGER NOT NULL,
  term INTEGER NOT NULL,
  ordinals TEXT NOT NULL,
  PRIMARY KEY (workspace_id, segment, term)
) STRICT, WITHOUT ROWID;

CREATE TABLE search_tests (
  event_id INTEGER PRIMARY KEY,
  workspace_id INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX search_tests_of_workspace ON search_tests (workspace_id, event_id);

CREATE TABLE search_outcomes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  deliveries TEXT NOT NULL CHECK (json_type(deliveries) = 'array')
) STRICT;

CREATE TABLE search_codes (
  webhook_id INTEGER NOT NULL,
  code INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  delivery_id INTEGER NOT NULL,
  PRIMARY KEY (webhook_id, code, created_at, delivery_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX search_codes_by_age ON search_codes (created_at);

ALTER TABLE store ADD COLUMN codes_since INTEGER NOT NULL DEFAULT 0;
UPDATE store SET codes_since = coalesce((SELECT max(created_at) + 1 FROM deliveries), 0);
`
