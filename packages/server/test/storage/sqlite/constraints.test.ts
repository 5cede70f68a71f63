import { expect, test } from 'vitest'
import type { Connection } from '../../../src/storage/sqlite/connection.ts'
import { openDatabase } from './database.ts'

/** One row of each kind in an ordinary state. */
function withRows(): Connection {
  const db = openDatabase()
  db.exec(`
    INSERT INTO workspaces (id, public_id, dialect, slug, name, created_at) VALUES (1, 'w', 'd', 's', 'n', 0);
    INSERT INTO webhooks (id, public_id, workspace_id, url, event_types, description, status,
      created_by_type, created_by_public_id, created_at, updated_at, version)
      VALUES (1, 'h', 1, 'u', '[]', '', 'on', 'key', 'k', 0, 0, 1);
    INSERT INTO secrets (webhook_id, sealed, created_at) VALUES (1, x'00', 0);
    INSERT INTO events (id, workspace_id, type, brought_id, body, created_at, first_delivery_id, delivery_count)
      VALUES (1, 1, 't', 'b', '{}', 0, 1, 1);
    INSERT INTO deliveries (id, event_id, webhook_id, status, attempts, trigger, run_start, next_attempt_at,
      created_at) VALUES (1, 1, 1, 'pending', 0, 'schedule', 0, 0, 0);`)
  return db
}

const impossible: readonly [string, string][] = [
  ['a delivery that is pending without a next attempt', 'UPDATE deliveries SET next_attempt_at = NULL'],
  ['a delivery that is pending and finished', 'UPDATE deliveries SET finished_at = 1'],
  ...['delivered', 'failed', 'dead', 'canceled'].map((status): [string, string] => [
    `a delivery that is ${status} and waits for an attempt`,
    `UPDATE deliveries SET status = '${status}', finished_at = 1`,
  ]),
  ...['delivered', 'failed', 'dead', 'canceled'].map((status): [string, string] => [
    `a delivery that is ${status} and not finished`,
    `UPDATE deliveries SET status = '${status}', next_attempt_at = NULL`,
  ]),
  ...['delivered', 'failed', 'dead'].map((status): [string, string] => [
    `a delivery that is ${status} and held by a node`,
    `UPDATE deliveries SET status = '${status}', next_attempt_at = NULL, finished_at = 1, lease = 1`,
  ]),
  ['a delivery in an unknown state', `UPDATE deliveries SET status = 'lost'`],
  ['a delivery set off by nothing known', `UPDATE deliveries SET trigger = 'magic'`],
  ['a run of attempts that begins in the future', 'UPDATE deliveries SET run_start = 1'],
  ['a first attempt that was never counted', 'UPDATE deliveries SET first_started_at = 1'],
  [
    'two attempts of one number',
    `INSERT INTO attempts (delivery_id, number, trigger, started_at, duration_ms)
      VALUES (1, 1, 'schedule', 0, 0), (1, 1, 'schedule', 0, 0)`,
  ],
  ['a webhook that is off without a reason', `UPDATE webhooks SET status = 'off'`],
  ['a webhook that is on with a reason to be off', `UPDATE webhooks SET off_reason = 'gone'`],
  ['a webhook that was warned without failing', 'UPDATE webhooks SET warned = 1'],
  ['a webhook of no workspace', 'UPDATE webhooks SET workspace_id = 2'],
  ['a cancelation without a time', 'UPDATE webhooks SET canceled_through = 1'],
  ['two current secrets', `INSERT INTO secrets (webhook_id, sealed, created_at) VALUES (1, x'01', 0)`],
  ['a fingerprint without an id', `UPDATE events SET brought_id = NULL, fingerprint = x'00'`],
  [
    'two events of one brought id',
    `INSERT INTO events SELECT 2, workspace_id, type, brought_id, fingerprint, body, created_at, 2, 0 FROM events`,
  ],
  [
    'two workspaces of one slug',
    `INSERT INTO workspaces (public_id, dialect, slug, name, created_at) VALUES ('x', 'd', 's', 'n', 0)`,
  ],
  ['a second row of counters', 'INSERT INTO store SELECT 2, id_key, 1, 1 FROM store'],
]

test.each(impossible)('the database itself refuses %s', (_, statement) => {
  const db = withRows()
  expect(() => db.exec(statement)).toThrow(/constraint failed/)
})
