/**
 * The store itself, its nodes, and until when the clock was known to be right. The destination of a move is in the store:
 * neither the file nor a copy of it may be served after a move.
 */
export const store = `
CREATE TABLE store (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  id_key BLOB NOT NULL CHECK (length(id_key) = 16),
  next_event_id INTEGER NOT NULL,
  next_delivery_id INTEGER NOT NULL,
  next_event_seq INTEGER NOT NULL DEFAULT 1
) STRICT;
INSERT INTO store VALUES (1, randomblob(16), 1, 1, 1);

CREATE TABLE nodes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  lease_until INTEGER NOT NULL,
  started_at INTEGER
) STRICT;

CREATE TABLE moved (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  place TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  steady_at INTEGER,
  leapt_at INTEGER
) STRICT;
INSERT INTO clock (id) VALUES (1);
`
