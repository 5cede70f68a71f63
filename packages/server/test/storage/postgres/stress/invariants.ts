import type pg from 'pg'

/** Each query finds rows that must not exist once all is calm. */
const WRONG: Readonly<Record<string, string>> = {
  'a lease is left over': 'SELECT id::text AS row FROM leases',
  'a delivery has a lease that is not there':
    'SELECT id::text AS row FROM deliveries WHERE lease IS NOT NULL',
  'a pending delivery does not wait, or at another time': `
    SELECT d.id::text AS row FROM deliveries d LEFT JOIN waiting w
      ON w.webhook_id = d.webhook_id AND w.due_at = d.next_attempt_at AND w.delivery_id = d.id
        AND w.created_at = d.created_at
    WHERE d.status = 'pending' AND w.delivery_id IS NULL`,
  'a delivery waits that is not pending': `
    SELECT w.delivery_id::text AS row FROM waiting w LEFT JOIN deliveries d
      ON d.id = w.delivery_id AND d.created_at = w.created_at AND d.status = 'pending'
    WHERE d.id IS NULL`,
  'a delivery waits twice': `
    SELECT delivery_id::text AS row FROM waiting GROUP BY delivery_id HAVING count(*) > 1`,
  'something is pending for a webhook that is off': `
    SELECT d.id::text AS row FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id
    WHERE d.status = 'pending' AND w.status = 'off'`,
  'a webhook is still being canceled':
    'SELECT id::text AS row FROM webhooks WHERE canceled_through IS NOT NULL',
  'attempts are missing or too many': `
    SELECT d.id::text AS row FROM deliveries d LEFT JOIN LATERAL (
      SELECT count(*) AS count, coalesce(max(number), 0) AS last FROM attempts a
      WHERE a.delivery_id = d.id AND a.created_at = d.created_at) a ON true
    WHERE a.count + CASE WHEN d.first_started_at IS NULL THEN 0 ELSE 1 END <> d.attempts
      OR (d.attempts > 0 AND a.last NOT IN (d.attempts, 0))`,
}

/** @returns violations, as text; reads whole tables */
export async function brokenInvariants(client: pg.Client): Promise<string[]> {
  const broken: string[] = []
  for (const [what, statement] of Object.entries(WRONG)) {
    const { rows } = await client.query<{ row: string }>(statement)
    if (rows.length > 0) broken.push(`${what}: ${rows.slice(0, 5).map(({ row }) => row)} (${rows.length})`)
  }
  return broken
}
