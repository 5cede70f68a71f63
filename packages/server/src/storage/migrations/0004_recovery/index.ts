import type { Migration } from '../migration.ts'
import { postgres } from './postgres.ts'
import { sqlite } from './sqlite.ts'

export const recovery: Migration = {
  version: 4,
  name: 'recovery',
  does: 'adds recoveries, retries on request, and a record of pauses',
  goesThrough: {
    sqlite: ['replays', 'webhooks', 'workspaces'],
    postgres: ['replays', 'webhooks', 'workspaces'],
  },
  sqlite,
  postgres,
  worksFrom: 4,
  whyBreaking:
    'an earlier release would treat a recovery as a bulk replay of dead deliveries, and end it early',
}
