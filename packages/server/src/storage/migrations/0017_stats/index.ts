import type { Migration } from '../migration.ts'

const renamed = `
ALTER TABLE figures_deltas RENAME TO pending_counts;
ALTER TABLE figures RENAME TO stats;
ALTER TABLE stats RENAME COLUMN sheet TO bucket;
`

/**
 * Gives the tables of the stats the names that the program uses. Views keep the earlier names, so that nodes of earlier versions
 * continue to count during an upgrade, and to delete by `ctid`. Drop the views in the next migration whose `worksFrom` is 17 or later.
 */
export const stats: Migration = {
  version: 17,
  name: 'stats',
  does: 'renames the tables of metrics over time',
  goesThrough: { sqlite: [], postgres: [] },
  sqlite: renamed,
  postgres: `${renamed}
ALTER SEQUENCE figures_deltas_id_seq RENAME TO pending_counts_id_seq;
ALTER TABLE pending_counts RENAME CONSTRAINT figures_deltas_pkey TO pending_counts_pkey;
ALTER TABLE pending_counts RENAME CONSTRAINT figures_deltas_scope_check TO pending_counts_scope_check;
ALTER SEQUENCE figures_id_seq RENAME TO stats_id_seq;
ALTER TABLE stats RENAME CONSTRAINT figures_pkey TO stats_pkey;
ALTER TABLE stats RENAME CONSTRAINT figures_unit_check TO stats_unit_check;
ALTER TABLE stats RENAME CONSTRAINT figures_scope_check TO stats_scope_check;
ALTER TABLE stats RENAME CONSTRAINT figures_unit_scope_at_sheet_key TO stats_unit_scope_at_bucket_key;
CREATE VIEW figures_deltas AS SELECT ctid, id, at, scope, data FROM pending_counts;
CREATE VIEW figures AS SELECT ctid, id, unit, scope, at, bucket AS sheet, data FROM stats;
`,
  worksFrom: 9,
  whyBreaking: null,
}
