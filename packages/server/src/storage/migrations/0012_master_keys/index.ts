import type { Migration } from '../migration.ts'

/**
 * `nodes.master_keys`: the ids of each node's master keys, the current one first. `store.key_check`, which PostgreSQL had
 * before: the key of ciphertexts without a key id.
 */
export const masterKeys: Migration = {
  version: 12,
  name: 'master keys',
  does: 'records which master keys nodes have',
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
