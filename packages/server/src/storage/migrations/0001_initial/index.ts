import type { Migration } from '../migration.ts'
import { postgres } from './postgres/index.ts'
import { sqlite } from './sqlite/index.ts'

export const initial: Migration = {
  version: 1,
  name: 'initial',
  does: 'creates all tables',
  goesThrough: { sqlite: [], postgres: [] },
  sqlite,
  postgres,
  worksFrom: 1,
  whyBreaking: 'there was no schema before',
}
