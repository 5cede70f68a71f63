/** Until when a clock was known to be right, and when it last leapt. */
export const clock = `
CREATE TABLE clock (
  id smallint PRIMARY KEY CHECK (id = 1),
  steady_at bigint,
  leapt_at bigint
);
INSERT INTO clock (id, steady_at) SELECT 1, max(at) FROM queue_samples;
`
