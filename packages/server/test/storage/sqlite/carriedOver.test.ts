import { expect, test } from 'vitest'
import type { Connection } from '../../../src/storage/sqlite/connection.ts'
import { migrate } from '../../../src/storage/sqlite/migrate.ts'
import { migrations } from '../../../src/storage/sqlite/migrations/index.ts'
import { createStore } from '../../../src/storage/sqlite/store.ts'
import { verbTable } from '../../../src/storage/sqlite/verbs.ts'
import { EVERYTHING } from '../../support/search.ts'
import { Reports } from '../conformance/reports.ts'
import { LENIENT } from '../conformance/world.ts'
import { filledTables, openDatabase } from './database.ts'

/** A store as the first release left it: two webhooks, one of them rotated, four events, three deliveries. */
const FIRST_RELEASE = `
  UPDATE store SET next_event_id = 9, next_delivery_id = 20;
  INSERT INTO workspaces (id, public_id, dialect, slug, name, created_at) VALUES (1, 'ws', 'content', 's', '', 0);
  INSERT INTO members (id, public_id, workspace_id, email, name, role, created_at)
    VALUES (1, 'usr', 1, 'a@example.com', '', 'owner', 0);
  INSERT INTO webhooks (id, public_id, workspace_id, url, event_types, description, status, created_by_type,
    created_by_public_id, created_at, updated_at, version)
  VALUES
    (1, 'wh_1', 1, 'https://one.example.com', '[]', '', 'on', 'member', 'usr', 0, 0, 5),
    (2, 'wh_2', 1, 'https://two.example.com', '["a"]', '', 'paused', 'member', 'usr', 0, 0, 1);
  INSERT INTO secrets (webhook_id, sealed, created_at, expires_at)
    VALUES (1, x'01', 0, 5000), (1, x'02', 1000, NULL), (2, x'03', 0, NULL);
  INSERT INTO events (id, workspace_id, type, body, created_at, first_delivery_id, delivery_count)
  VALUES
    (3, 1, 'a', '{"n":3}', 100, 10, 1), (4, 1, 'webhook.test', '{}', 150, 11, 1),
    (6, 1, 'b', '{"n":6}', 200, 12, 1), (7, 1, 'a', '{"n":7}', 300, 13, 0);
  INSERT INTO deliveries (id, event_id, webhook_id, status, attempts, trigger, run_start, next_attempt_at,
    created_at, finished_at, first_started_at, first_duration_ms, first_status_code)
  VALUES
    (10, 3, 1, 'delivered', 1, 'schedule', 0, NULL, 100, 110, 101, 9, 200),
    (11, 4, 1, 'failed', 1, 'test', 0, NULL, 150, 160, NULL, NULL, NULL),
    (12, 6, 1, 'pending', 1, 'schedule', 0, 900, 200, NULL, NULL, NULL, NULL);
  INSERT INTO attempts (delivery_id, number, trigger, started_at, duration_ms, status_code, error_code)
    VALUES (11, 1, 'test', 151, 9, 500, 'http_status'), (12, 1, 'schedule', 201, 9, 500, 'http_status');`

function carriedOverDatabase(): Connection {
  const db = openDatabase(migrations.slice(0, 1))
  db.exec(FIRST_RELEASE)
  migrate(db, 0)
  return db
}

const carriedOver = () => verbTable(createStore(carriedOverDatabase()))

const ALL = { ...EVERYTHING, workspaceId: 1 }

test('deliveries of the first release are in the log, by time, with attempts of no known version', () => {
  const { deliveries } = carriedOver().searchDeliveries({ ...ALL, limit: 10, before: null })
  expect(deliveries).toMatchObject([
    { id: 12, status: 'pending', nextAttemptAt: 900, attempts: [{ number: 1, webhookVersion: null }] },
    { id: 11, status: 'failed', attempts: [{ trigger: 'test', webhookVersion: null }] },
    { id: 10, status: 'delivered', attempts: [{ statusCode: 200, webhookVersion: null }] },
  ])
})

test('deliveries of the first release that are unhealthy are found as such', () => {
  const search = { ...ALL, status: 'failed', limit: 10, before: null } as const
  expect(carriedOver().searchDeliveries(search).deliveries).toMatchObject([{ id: 11 }])
})

test('events of the first release are in the feed in their order, tests left out, and new ones follow', () => {
  const verbs = carriedOver()
  const feed = { workspaceId: 1, eventType: null, limit: 10 }
  const { events, next } = verbs.listEvents({ ...feed, after: null })
  expect(events.map(({ id }) => id)).toEqual([3, 6, 7])
  const { nodeId } = verbs.registerNode({ leaseMs: 1000 })
  const id = verbs.reserveEventIds({ count: 1 })
  const brought = { broughtId: null, broughtRowId: null, fingerprint: null }
  const event = { id, workspaceId: 1, type: 'a', body: '{}', createdAt: 400, ...brought }
  verbs.publish({ nodeId, batches: [[event]], room: 0, withhold: [], maxFanout: 1_000_000 })
  expect(verbs.listEvents({ ...feed, after: next }).events).toMatchObject([{ id }])
})

test('secrets of the first release go on signing until their overlap ends', () => {
  const { loadTargets } = carriedOver()
  const signing = (now: number) =>
    loadTargets({ webhookIds: [1, 2], now }).map(({ secrets }) => secrets.map(({ sealed }) => sealed[0]))
  expect(signing(4999)).toEqual([[2, 1], [3]])
  expect(signing(5000)).toEqual([[2], [3]])
})

test('what the first release sent under is not known, and what is sent from now on is', () => {
  const verbs = carriedOver()
  const { nodeId } = verbs.registerNode({ leaseMs: 1000 })
  const attempt = (number: number, webhookVersion: number, startedAt: number) => {
    verbs.claimDue({
      nodeId,
      now: 900,
      limit: 10,
      perWebhook: 10,
      except: [],
      exceptWorkspaces: [],
      afterWebhookId: 0,
    })
    const changes = { number, webhookVersion, startedAt }
    const next = { status: 'pending', nextAttemptAt: 900 } as const
    const result = new Reports().failure({ deliveryId: 12, webhookId: 1 }, { attempt: changes, next })
    verbs.recordAttempts({
      nodeId,
      now: startedAt,
      steadySince: null,
      failingFrom: null,
      healthPolicies: [LENIENT],
      results: [result],
    })
  }
  attempt(2, 5, 4999)
  attempt(3, 5, 5000)
  const of = { workspaceId: 1, webhookId: 1, ifVersions: null, now: 6000 }
  verbs.updateWebhook({ ...of, changes: { url: 'https://moved.example.com' } })
  attempt(4, 6, 7000)
  expect(verbs.getSentRequests({ workspaceId: 1, deliveryId: 10 })).toEqual([])
  const sent = verbs.getSentRequests({ workspaceId: 1, deliveryId: 12 })
  expect(sent.map(({ number, url, secrets }) => [number, url, secrets.map(([byte]) => byte)])).toEqual([
    [2, 'https://one.example.com', [2, 1]],
    [3, 'https://one.example.com', [2]],
    [4, 'https://moved.example.com', [2]],
  ])
})

test('webhooks of the first release can be changed at the version that they had', () => {
  const verbs = carriedOver()
  const of = { workspaceId: 1, webhookId: 1, now: 2000, changes: { description: 'changed' } }
  expect(verbs.updateWebhook({ ...of, ifVersions: [4] })).toEqual({ outcome: 'other_version', version: 5 })
  expect(verbs.updateWebhook({ ...of, ifVersions: [5] })).toMatchObject({ webhook: { version: 6 } })
})

test('all that the first release left goes in the end', () => {
  const db = carriedOverDatabase()
  const verbs = verbTable(createStore(db))
  verbs.deleteWorkspace({ workspaceId: 1, now: 1000 })
  const ages = { before: 2000, now: 2000, expiredBefore: 2001, auditBefore: 2000, onceBefore: 2000 }
  while (verbs.deleteExpired({ ...ages, limit: 100 }).handled > 0);
  expect(filledTables(db)).toEqual(['clock', 'migrations', 'store'])
})
