import type { Migration } from '../migration.ts'

/**
 * Rate limits of webhooks: attempts per 1,000 seconds, and attempts in flight at once. All deliveries of a limited webhook are
 * sent by the one node that has a row for it in `limit_owners`; if the node is gone, the row counts as free.
 */
const sqlite = `
ALTER TABLE webhooks ADD COLUMN max_per_1000_s INTEGER CHECK (max_per_1000_s > 0);
ALTER TABLE webhooks ADD COLUMN max_in_flight INTEGER CHECK (max_in_flight > 0);

CREATE TABLE limit_owners (
  webhook_id INTEGER PRIMARY KEY,
  node_id INTEGER NOT NULL
) STRICT;
`

const postgres = `
ALTER TABLE webhooks ADD COLUMN max_per_1000_s bigint CHECK (max_per_1000_s > 0);
ALTER TABLE webhooks ADD COLUMN max_in_flight bigint CHECK (max_in_flight > 0);

CREATE TABLE limit_owners (
  webhook_id bigint PRIMARY KEY,
  node_id bigint NOT NULL
);
`

export const limits: Migration = {
  version: 6,
  name: 'limits',
  does: 'adds limits of webhooks',
  goesThrough: { sqlite: ['webhooks'], postgres: ['webhooks'] },
  sqlite,
  postgres,
  worksFrom: 5,
  whyBreaking: null,
}
