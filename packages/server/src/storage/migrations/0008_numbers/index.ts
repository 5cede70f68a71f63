import type { Migration } from '../migration.ts'

/**
 * Stats count how deliveries ended. Successes were counted before, as attempts. Other results are counted here once, in the
 * minute in which they ended: counter 51 for failed, 52 for canceled deliveries. A leased delivery counts when its lease ends.
 * Indexes find the webhooks that are on, those that fail now, and those that were disabled recently.
 */
const countEnded = (concatenated: string): string => `
INSERT INTO figures_deltas (at, scope, data)
SELECT at, 'webhook', ${concatenated} FROM (
  SELECT finished_at / 60000 * 60000 AS at, webhook_id,
    CASE status WHEN 'canceled' THEN ',52*' ELSE ',51*' END || count(*) AS counts
  FROM deliveries
  WHERE status IN ('failed', 'dead', 'canceled') AND lease IS NULL AND trigger <> 'test'
  GROUP BY 1, 2, CASE status WHEN 'canceled' THEN ',52*' ELSE ',51*' END) ended
GROUP BY at;
`

const indexes = `
CREATE INDEX webhooks_on ON webhooks (workspace_id) WHERE status = 'on' AND deleted_at IS NULL;
CREATE INDEX webhooks_failing ON webhooks (failing_since, id)
  WHERE failing_since IS NOT NULL AND status = 'on' AND deleted_at IS NULL;
CREATE INDEX webhooks_disabled ON webhooks (disabled_at) WHERE disabled_at IS NOT NULL;
`

export const numbers: Migration = {
  version: 8,
  name: 'numbers',
  does: 'counts the outcomes of stored deliveries',
  goesThrough: { sqlite: ['deliveries', 'webhooks'], postgres: ['deliveries', 'webhooks'] },
  sqlite: countEnded("group_concat(char(10) || webhook_id || ':' || counts, '')") + indexes,
  postgres: countEnded("string_agg(chr(10) || webhook_id || ':' || counts, '')") + indexes,
  worksFrom: 8,
  whyBreaking: 'an earlier program would lose counts that it does not know when it rolls up stats',
}
