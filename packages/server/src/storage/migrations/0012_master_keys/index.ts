import type { Migration } from '../migration.ts'

/**
 * Master keys: which ones each node has, the current one first, and in the embedded store, as on PostgreSQL before, which one what is
 * sealed without the id of its key is sealed under.
 */
export const masterKeys: Migration = {
  version: 12,
  name: 'master keys',
  does: 'notes which master keys nodes have',
  goesThrough: { sqlite: [], postgres: [] },
  sqlite: `
ALTER TABLE nodes ADD COLUMN master_keys TEXT;
ALTER TABLE store ADD COLUMN key_check BLOB CHECK (length(key_check) = 32);
`,
  postgres: `
ALTER TABLE nodes ADD COLUMN master_keys text;
`,
  worksFrom: 9,
  whyBreaking: null,
}
