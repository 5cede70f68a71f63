import type { Mutant } from './mutant.ts'
import { FAULTS, ofDriver, onPostgres, onSqlite } from './suites.ts'

const shared = (file: string) => `packages/server/src/storage/${file}.ts`
const sqlite = (file: string) => shared(`sqlite/${file}`)
const postgres = (file: string) => shared(`postgres/${file}`)

/** Assumptions of both drivers, and the model of simulations with them. */
const SHARED: readonly Mutant[] = [
  {
    name: 'an attempt canceled in flight is retried',
    file: sqlite('queries/record'),
    text: `CASE status WHEN 'canceled' THEN NULL ELSE @nextAttemptAt END,
      finished_at = CASE status WHEN 'canceled' THEN finished_at ELSE @finishedAt END,
      status = CASE status WHEN 'canceled' THEN 'canceled' ELSE @status END`,
    replacement: '@nextAttemptAt, finished_at = @finishedAt, status = @status',
    caughtBy: onSqlite('canceling'),
  },
  {
    name: 'an outage counts as failing until a node noted that it is over',
    file: shared('queries/egress'),
    text: '(gapSince(beganAt, now, notBefore) ?? [])',
    replacement: '[]',
    caughtBy: onSqlite('the time in which no node could send'),
  },
  {
    name: 'a leap of the clock makes an outage',
    file: shared('queries/egress'),
    text: 'Math.max(openAt, notBefore ?? openAt)',
    replacement: 'openAt',
    caughtBy: onSqlite('records that they can send'),
  },
  {
    name: 'receivers are unknown while many of their deliveries are not rolled up',
    file: shared('queries/egress'),
    text: "(scope === 'webhook' && at >= since ? data : [])",
    replacement: '[]',
    caughtBy: onSqlite('recently reached receivers'),
  },
  {
    name: 'deliveries created late go to webhooks that were disabled in the meantime',
    file: shared('fanout'),
    text: 'disabledVersion === null || at === null || disabledVersion <= version',
    replacement: 'disabledVersion === null || at === null || disabledVersion > 0',
    caughtBy: FAULTS,
  },
  {
    name: 'a publish is not remembered under its key',
    file: shared('queries/changes'),
    text: "publish: (results) => changedIf(results.every(({ outcome }) => outcome === 'accepted')),",
    replacement: "publish: () => 'refused',",
    caughtBy: FAULTS,
  },
  {
    name: 'a replay takes what died after it was asked for',
    file: shared('queries/replays'),
    text: 'finishedBy: createdAt',
    replacement: 'finishedBy: now',
    caughtBy: onSqlite('bulk replays'),
  },
  {
    name: 'a step of a fan-out passes over a webhook',
    file: shared('queries/fanouts'),
    text: 'fanout.position + webhooks.length])',
    replacement: 'fanout.position + webhooks.length + 1])',
    caughtBy: onSqlite('fan-out after the acknowledgement'),
  },
  {
    name: 'deliveries of paused webhooks are claimed',
    file: shared('queries/queue'),
    text: "`w.status = 'on' AND w.deleted_at IS NULL",
    replacement: "`w.status <> 'off' AND w.deleted_at IS NULL",
    caughtBy: onSqlite('claim'),
  },
  {
    name: 'a delivery that is still being canceled is claimed',
    file: shared('queries/queue'),
    text: 'AND w.canceled_through IS NULL AND s.suspended_at IS NULL',
    replacement: 'AND s.suspended_at IS NULL',
    caughtBy: onSqlite('canceling'),
  },
  {
    name: 'a delivery sent again in the meantime counts as replayed',
    file: shared('queries/replays'),
    text: 'replayed += yield* startRuns(chosen,',
    replacement: 'replayed += chosen.length + 0 * (yield* startRuns(chosen,',
    caughtBy: ofDriver('postgres', 'sendsAtOnce'),
  },
]

const SQLITE: readonly Mutant[] = [
  {
    name: 'SQLite: calls are answered before the commit',
    file: sqlite('groupCommit'),
    text: "if (begun) db.exec(db.readonly ? 'ROLLBACK' : 'COMMIT')",
    replacement: "if (begun) setImmediate(() => db.exec(db.readonly ? 'ROLLBACK' : 'COMMIT'))",
    caughtBy: ofDriver('sqlite', 'groupCommit'),
  },
  {
    name: 'SQLite: no fence on results of first tries',
    file: sqlite('queries/record'),
    text: 'WHERE id = ? AND lease = ? AND attempts = 0',
    replacement: 'WHERE id = ? AND coalesce(lease, 0) >= 0 * ? AND attempts = 0',
    caughtBy: onSqlite('nodes and leases|recorded attempts'),
  },
  {
    name: 'SQLite: results of attempts that were recorded before count again',
    file: sqlite('queries/record'),
    text: "status = CASE status WHEN 'canceled' THEN 'canceled' ELSE @status END\n    WHERE id = @deliveryId AND lease = @nodeId AND attempts = @number - 1",
    replacement:
      "status = CASE status WHEN 'canceled' THEN 'canceled' ELSE @status END\n    WHERE id = @deliveryId AND lease = @nodeId",
    caughtBy: onSqlite('recorded attempts|any sequence of calls'),
  },
  {
    name: 'SQLite: leases that hold count as expired',
    file: sqlite('queries/nodes'),
    text: 'SELECT id FROM nodes WHERE lease_until <=',
    replacement: 'SELECT id FROM nodes WHERE lease_until >=',
    caughtBy: onSqlite('nodes and leases'),
  },
  {
    name: 'SQLite: a node that is gone gets deliveries',
    file: sqlite('queries/publish'),
    text: 'room: nodeLives(nodeId) ? room : 0,',
    replacement: 'room,',
    caughtBy: onSqlite('nodes and leases'),
  },
  {
    name: 'SQLite: claims have no limit',
    file: sqlite('queries/claim'),
    text: 'takeFrom(webhookId, webhook, Math.min(most, room), params, found)',
    replacement: 'takeFrom(webhookId, webhook, most, params, found)',
    caughtBy: onSqlite('claim'),
  },
  {
    name: 'SQLite: retries that are due in lawful time are pulled in',
    file: sqlite('queries/claim'),
    text: 'next_attempt_at > @latest',
    replacement: 'next_attempt_at > min(@latest, @now)',
    caughtBy: onSqlite('due times that are too far off'),
  },
  {
    name: 'SQLite: a delivery still pending after the retention is deleted at once',
    file: sqlite('queries/retention'),
    text: '      if (pending) {',
    replacement: '      if (pending && id < 0) {',
    caughtBy: onSqlite('retention'),
  },
]

const POSTGRES: readonly Mutant[] = [
  {
    name: 'PostgreSQL: calls are answered before the commit',
    file: postgres('transaction'),
    text: '  await tx.commit()\n  return result',
    replacement: '  tx.commit().catch(() => {})\n  return result',
    caughtBy: ofDriver('postgres', 'lostAnswers'),
  },
  {
    name: 'PostgreSQL: no fence on results of later tries',
    file: postgres('queries/attemptRows'),
    text: 'AND d.lease = r.lease AND d.attempts = r.number - 1\n      RETURNING d.webhook_id, r.*',
    replacement: 'RETURNING d.webhook_id, r.*',
    caughtBy: ofDriver('postgres', 'leases'),
  },
  {
    name: 'PostgreSQL: a lease counts for any node that names it',
    file: postgres('queries/leases'),
    text: 'WHERE id = ANY ($1::bigint[]) AND node_id = $2 ORDER BY id FOR UPDATE',
    replacement: 'WHERE id = ANY ($1::bigint[]) AND $2::bigint > 0 ORDER BY id FOR UPDATE',
    caughtBy: ofDriver('postgres', 'leases'),
  },
  {
    name: 'PostgreSQL: a release that is repeated ends the lease that the node took since',
    file: postgres('queries/nodes'),
    text: 'AND d.lease = r.lease\n      RETURNING d.id, d.created_at, d.webhook_id, d.next_attempt_at, d.status, d.trigger',
    replacement:
      'AND d.lease IS NOT NULL\n      RETURNING d.id, d.created_at, d.webhook_id, d.next_attempt_at, d.status, d.trigger',
    caughtBy: ofDriver('postgres', 'leases'),
  },
  {
    name: 'PostgreSQL: leases that hold count as expired',
    file: postgres('queries/nodes'),
    text: 'SELECT id FROM nodes WHERE lease_until <= now_ms() AND id <> $1',
    replacement: 'SELECT id FROM nodes WHERE lease_until >= now_ms() AND id <> $1',
    caughtBy: onPostgres('nodes and leases'),
  },
  {
    name: 'PostgreSQL: leases from a lost answer are not looked for',
    file: postgres('queries/claim'),
    text: '    tx.onDoubt(() => leaseIds.doubt(lease))\n',
    replacement: '',
    caughtBy: ofDriver('postgres', 'lostAnswers'),
  },
  {
    name: 'PostgreSQL: claims have no limit',
    file: postgres('queries/claim'),
    text: 'const room = Math.min(portion(webhook, perWebhook), limit - found.picked.length)',
    replacement: 'const room = Math.min(portion(webhook, perWebhook), limit * 1_000)',
    caughtBy: onPostgres('claim'),
  },
  {
    name: 'PostgreSQL: a delivery is sent again while an attempt of it may be under way',
    file: shared('queries/deliveries'),
    text: "return row.lease === null && !isMarked(row) ? row.status : 'pending'",
    replacement: "return !isMarked(row) ? row.status : 'pending'",
    caughtBy: onPostgres('redeliveries and replays'),
  },
  {
    name: 'PostgreSQL: ids of events are reserved twice',
    file: shared('queries/feed'),
    text: 'SET next_event_id = next_event_id + $1 RETURNING',
    replacement: 'SET next_event_id = next_event_id + $1 - 1 RETURNING',
    caughtBy: ofDriver('postgres', 'changesAtOnce'),
  },
]

export const STORAGE_MUTANTS: readonly Mutant[] = [...SHARED, ...SQLITE, ...POSTGRES]
