/**
 * Metrics over time. Each transaction writes its pending counts (`figures_deltas`), which are later added to the buckets
 * (`figures`) of their minute, hour and day. A bucket has the counts of some webhooks or workspaces, so ten thousand webhooks
 * need only some hundred rows per minute. Version 17 renames these tables.
 */
export const stats = `
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
`
