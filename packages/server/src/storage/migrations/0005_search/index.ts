import type { Migration } from '../migration.ts'
import { postgres } from './postgres.ts'
import { sqlite } from './sqlite.ts'

export const search: Migration = {
  version: 5,
  name: 'search',
  does: 'adds the search index, which the service fills in the background',
  goesThrough: { sqlite: ['deliveries'], postgres: [] },
  sqlite,
  postgres,
  worksFrom: 5,
  whyBreaking:
    'an earlier release would create days without search tables, and would not index failed attempts',
}
