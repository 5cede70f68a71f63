import type { Migration } from '../migration.ts'

/** The release that each node runs; null: an earlier one, which does not record it. */
export const nodeVersions: Migration = {
  version: 13,
  name: 'node versions',
  does: 'records which release nodes run',
  goesThrough: { sqlite: [], postgres: [] },
  sqlite: 'ALTER TABLE nodes ADD COLUMN version TEXT;\n',
  postgres: 'ALTER TABLE nodes ADD COLUMN version text;\n',
  worksFrom: 9,
  whyBreaking: null,
}
