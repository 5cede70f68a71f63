/** Until when a clock was known to be right, and when it last leapt. */
export const clock = `
CREATE TABLE clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  steady_at INTEGER,
  leapt_at INTEGER
) STRICT;
INSERT INTO clock (id, steady_at) SELECT 1, max(at) FROM queue_samples;
`
