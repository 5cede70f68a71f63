import type { Migration } from '../migration.ts'
import { postgres } from './postgres.ts'
import { sqlite } from './sqlite.ts'

export const search: Migration = {
  version: 5,
  name: 'search',
  does: 'adds the index of the search, which the service then fills in the background',
  goesThrough: { sqlite: ['deliveries'], postgres: [] },
  sqlite,
  postgres,
  worksFrom: 5,
  whyBreaking:
    'an earlier program would make days without the tables of the search, and would not tell it of failed attempts',
}
