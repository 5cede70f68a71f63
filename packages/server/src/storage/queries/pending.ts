import type { Fragment } from './sql.ts'

/** Pending deliveries that no node holds: PostgreSQL has a table of them. */
export const WAITING: Fragment = {
  sqlite: `(
    SELECT id, created_at, webhook_id, next_attempt_at AS due_at FROM deliveries INDEXED BY deliveries_waiting
    WHERE status = 'pending' AND lease IS NULL)`,
  postgres: '(SELECT delivery_id AS id, created_at, webhook_id, due_at FROM waiting)',
}

/** Deliveries that nodes hold, pending or not. */
export const HELD: Fragment = {
  sqlite: `(
    SELECT id, created_at, webhook_id FROM deliveries INDEXED BY deliveries_leased WHERE lease IS NOT NULL)`,
  postgres: '(SELECT id, created_at, webhook_id FROM held_deliveries OFFSET 0)',
}
