/** Where the store went, in the store itself: a copy of its file must not be served any more than the file. */
export const moved = `
CREATE TABLE moved (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  place TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
`
