import type { Migration } from '../migration.ts'

/** The page of a webhook shows its latest recovery, even after it has ended. */
const index = `
CREATE INDEX recoveries_of_webhook ON replays (webhook_id, id) WHERE trigger = 'recover';
`

export const recoveries: Migration = {
  version: 10,
  name: 'recoveries',
  does: 'adds an index of recoveries',
  goesThrough: { sqlite: ['replays'], postgres: ['replays'] },
  sqlite: index,
  postgres: index,
  worksFrom: 9,
  whyBreaking: null,
}
