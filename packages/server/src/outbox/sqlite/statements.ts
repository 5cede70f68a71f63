import type Database from 'better-sqlite3'
import { BYTES_OF_EVENT } from '../limits.ts'
import { LEASE_MS } from '../source.ts'

const ROWS_SAMPLED = 20
const BYTES_BESIDE_EVENT = 64

/** ? most. A step of an index for each workspace, however many rows wait. */
export const WORKSPACES_WAITING = `
    WITH RECURSIVE w (workspace) AS (
      SELECT min(workspace) FROM posthorn_outbox_held WHERE state = 'waiting'
      UNION ALL
      SELECT (SELECT min(workspace) FROM posthorn_outbox_held WHERE state = 'waiting' AND workspace > w.workspace)
      FROM w WHERE w.workspace IS NOT NULL)
    SELECT workspace FROM w WHERE workspace IS NOT NULL LIMIT ?`

/** An estimate from the ids in use and the size of some rows, since SQLite would have to read all of them. */
const sizeOf = (table: string, id: string) => `
    SELECT (SELECT min(${id}) FROM ${table}) AS first, (SELECT max(${id}) FROM ${table}) AS last,
      (SELECT emitted_at FROM ${table} ORDER BY ${id} LIMIT 1) AS oldest,
      (SELECT avg(length(CAST(event AS BLOB)) + ${BYTES_BESIDE_EVENT})
        FROM (SELECT event FROM ${table} ORDER BY ${id} DESC LIMIT ${ROWS_SAMPLED})) AS bytes`

/** The statements of a relay. */
export const statementsOf = (db: Database.Database) => ({
  lease: db.prepare(`
    INSERT INTO posthorn_outbox_lease (only_row, relay, leased_until) VALUES (1, :relay, :until)
    ON CONFLICT DO UPDATE SET relay = excluded.relay, leased_until = excluded.leased_until
      WHERE relay = excluded.relay OR leased_until < :now OR leased_until > :now + ${3 * LEASE_MS}`),
  leave: db.prepare('DELETE FROM posthorn_outbox_lease WHERE relay = ?'),
  read: db.prepare(`
    SELECT id AS position, workspace, emitted_at,
      CASE WHEN length(CAST(event AS BLOB)) <= ${BYTES_OF_EVENT} THEN event END AS event
    FROM posthorn_outbox WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`),
  deletePublished: db.prepare(`
    DELETE FROM posthorn_outbox WHERE id IN (SELECT id FROM posthorn_outbox WHERE id <= :lastId ORDER BY id LIMIT :most)
      AND EXISTS (SELECT 1 FROM posthorn_outbox_lease WHERE relay = :relay AND leased_until >= :now)`),
  hold: db.prepare(`
    INSERT INTO posthorn_outbox_held (source_id, workspace, event, event_id, emitted_at, state, reason, held_at)
    SELECT :position, :workspace, e.event, json_extract(e.event, '$.id'), :emittedAt, :state, :reason, :now
    FROM (SELECT coalesce(:event, (SELECT event FROM posthorn_outbox WHERE id = :position)) AS event) AS e
    WHERE e.event IS NOT NULL
    ON CONFLICT (source_id) DO UPDATE SET state = excluded.state, reason = excluded.reason, held_at = excluded.held_at
      WHERE state = 'waiting'`),
  workspacesWaiting: db.prepare(WORKSPACES_WAITING),
  waiting: db.prepare(`
    SELECT source_id AS position, workspace, emitted_at,
      CASE WHEN length(CAST(event AS BLOB)) <= ${BYTES_OF_EVENT} THEN event END AS event
    FROM posthorn_outbox_held
    WHERE state = 'waiting' AND workspace = ? ORDER BY position LIMIT ?`),
  change: db.prepare(`
    UPDATE posthorn_outbox_held SET state = :state, reason = :reason, held_at = :now
    WHERE source_id = :position AND state = 'waiting' AND (state, reason) <> (:state, :reason)`),
  emitted: db.prepare(sizeOf('posthorn_outbox', 'id')),
  held: db.prepare(sizeOf('posthorn_outbox_held', 'position')),
  release: db.prepare("DELETE FROM posthorn_outbox_held WHERE source_id = ? AND state = 'waiting'"),
  count: db.prepare('SELECT count(*) FROM (SELECT 1 FROM posthorn_outbox_held WHERE state = ? LIMIT ?)'),
  ahead: db.prepare('SELECT count(*) FROM (SELECT 1 FROM posthorn_outbox WHERE id > ? LIMIT ?)'),
  oldest: db.prepare(`
    SELECT min(emitted_at) FROM (
      SELECT * FROM (SELECT emitted_at FROM posthorn_outbox WHERE id > ? ORDER BY id LIMIT 1)
      UNION ALL
      SELECT * FROM (SELECT emitted_at FROM posthorn_outbox_held WHERE state = 'waiting' ORDER BY position LIMIT 1))`),
})
