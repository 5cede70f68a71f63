/** Waiting deliveries, and leased ones. */
export const leases = `
-- One row for each pending delivery that no node holds.
CREATE TABLE waiting (
  webhook_id bigint NOT NULL,
  due_at bigint NOT NULL,
  delivery_id bigint NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (webhook_id, due_at, delivery_id)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
CREATE INDEX waiting_by_age ON waiting (created_at);

-- What one call gave a node: deliveries whose lease this is, named one by one or, where a publish made them, by the
-- range that their ids and times are in. "open" of them are not given back or recorded yet.
CREATE TABLE leases (
  id bigint PRIMARY KEY,
  node_id bigint NOT NULL,
  first_id bigint NOT NULL,
  last_id bigint NOT NULL,
  from_time bigint NOT NULL,
  to_time bigint NOT NULL,
  open integer NOT NULL CHECK (open >= 0),
  delivery_ids bigint[],
  times bigint[],
  CHECK ((delivery_ids IS NULL) = (times IS NULL))
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
CREATE INDEX leases_of_node ON leases (node_id);
CREATE SEQUENCE lease_blocks;
CREATE VIEW held_deliveries AS
  SELECT d.id, d.created_at, d.webhook_id, l.id AS lease
  FROM leases l CROSS JOIN LATERAL (
    SELECT id, created_at, webhook_id FROM deliveries
    WHERE id BETWEEN l.first_id AND l.last_id AND created_at BETWEEN l.from_time AND l.to_time AND lease = l.id
    OFFSET 0) d
  WHERE l.delivery_ids IS NULL
  UNION ALL
  SELECT d.id, d.created_at, d.webhook_id, l.id
  FROM leases l CROSS JOIN LATERAL unnest(l.delivery_ids, l.times) AS x (id, created_at)
    CROSS JOIN LATERAL (
      SELECT id, created_at, webhook_id FROM deliveries
      WHERE id = x.id AND created_at = x.created_at AND lease = l.id OFFSET 0) d
  WHERE l.delivery_ids IS NOT NULL;
`
