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
    INSERT INTO events (id, workspace_id, type, brought_id, body, created_at, first_delivery_id, delivery_count,
      seq) VALUES (1, 1, 't', 'b', '{}', 0, 1, 1, 1);
    INSERT INTO deliveries (id, event_id, webhook_id, status, attempts, trigger, run_start, next_attempt_at,
      created_at) VALUES (1, 1, 1, 'pending', 0, 'schedule', 0, 0, 0);
    INSERT INTO webhook_urls VALUES (1, 1, 'u');
    INSERT INTO members (id, public_id, workspace_id, email, name, role, created_at)
      VALUES (1, 'm', 1, 'e', 'n', 'owner', 0);
    INSERT INTO sessions (public_id, member_id, hash, created_at, expires_at) VALUES ('s', 1, x'00', 0, 1);
    INSERT INTO replays (public_id, workspace_id, max, total, created_at) VALUES ('r', 1, 1, 1, 0);
    INSERT INTO audit_log (at, action, actor_type, workspace_public_id, target_type, target_id, details)
      VALUES (0, 'a', 'operator', 'w', 'workspace', 'w', '{}');
    INSERT INTO idempotency_keys VALUES ('s', 'k', x'00', 'v', '{}', NULL, 0, NULL);`)
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
    `a delivery that is ${status} and leased to a node`,
    `UPDATE deliveries SET status = '${status}', next_attempt_at = NULL, finished_at = 1, lease = 1`,
  ]),
  ['a delivery that is pending and expired', `UPDATE deliveries SET cancel_reason = 'expired'`],
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
    `INSERT INTO events SELECT 2, workspace_id, type, brought_id, fingerprint, body, created_at, 2, 0, 2, NULL FROM events`,
  ],
  [
    'two events in one place of a feed',
    `INSERT INTO events SELECT 2, workspace_id, type, 'c', fingerprint, body, created_at, 2, 0, seq, NULL FROM events`,
  ],
  [
    'two workspaces of one slug',
    `INSERT INTO workspaces (public_id, dialect, slug, name, created_at) VALUES ('x', 'd', 's', 'n', 0)`,
  ],
  ['a second row of counters', 'INSERT INTO store SELECT 2, id_key, 1, 1, 1, 0, NULL FROM store'],
  ['two URLs of a webhook from one version on', `INSERT INTO webhook_urls VALUES (1, 1, 'other')`],
  ['a URL of no webhook', `INSERT INTO webhook_urls VALUES (2, 1, 'u')`],
  ['a webhook that is gone while its URLs are not', 'DELETE FROM secrets; DELETE FROM webhooks'],
  ['a session without an owner', 'UPDATE sessions SET member_id = 2'],
  ['two sessions of one hash', `INSERT INTO sessions SELECT 2, 't', 1, hash, 0, 1 FROM sessions`],
  ['a replay in no workspace', 'UPDATE replays SET workspace_id = 2'],
  ['a replay of nothing at most', 'UPDATE replays SET max = 0'],
  ['a replay that did more than it may', 'UPDATE replays SET replayed = 2'],
  ['an entry of the audit log by an unknown actor', `UPDATE audit_log SET actor_type = 'ghost'`],
  ['an entry of the audit log whose details are no object', `UPDATE audit_log SET details = '[]'`],
  [
    'two answers under one key',
    `INSERT INTO idempotency_keys VALUES ('s', 'k', x'01', 'v', '{}', NULL, 0, NULL)`,
  ],
]

test.each(impossible)('the database itself rejects %s', (_, statement) => {
  const db = withRows()
  expect(() => db.exec(statement)).toThrow(/constraint failed/)
})
