import pg from 'pg'
import { SHARDS, SLOTS, shardOf } from './layout.ts'

/** The statements of a relay, for an outbox in one schema. */
export function statementsFor(schema: string) {
  const at = (name: string) => `${pg.escapeIdentifier(schema)}.${name}`
  return {
    /** $1 relay, $2 session. The leases of earlier sessions of the relay are free from now on. */
    join: `INSERT INTO ${at('outbox_relay')} (relay, session, seen_at) VALUES ($1, $2, now())
      ON CONFLICT (relay) DO UPDATE SET session = excluded.session, seen_at = excluded.seen_at`,
    /** $1 relay, $2 session. No row: the leases ended. Otherwise the number of shards of the session. */
    renew: `UPDATE ${at('outbox_relay')} SET seen_at = now() WHERE relay = $1 AND session = $2
      RETURNING (SELECT count(*)::int FROM ${at('outbox_shard')} WHERE session = $2) AS shards`,
    /**
     * $1 lease in seconds. Ends the leases of silent relays. A relay that renews at the same time keeps them, or finds its row
     * deleted. A time far ahead was written before the clock was set back.
     */
    endLeases: `DELETE FROM ${at('outbox_relay')} WHERE relay IN (
      SELECT relay FROM ${at('outbox_relay')}
      WHERE seen_at < now() - make_interval(secs => $1::float8) OR seen_at > now() + make_interval(secs => 2 * $1::float8)
      FOR UPDATE SKIP LOCKED)`,
    relays: `SELECT count(*)::int AS relays FROM ${at('outbox_relay')}`,
    /** $1 relay, $2 session */
    leave: `DELETE FROM ${at('outbox_relay')} WHERE relay = $1 AND session = $2`,
    /** $1 session, then a column of the cursors each. Stores those of shards that it has. */
    store: `UPDATE ${at('outbox_shard')} AS s
      SET done = v.done::pg_snapshot, done_id = v.done_id, done_xid = v.done_xid::xid8,
          target = v.target::pg_snapshot, target_id = v.target_id, target_xid = v.target_xid::xid8, last_id = v.last_id
      FROM unnest($2::int[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::text[], $9::bigint[])
        AS v(shard, done, done_id, done_xid, target, target_id, target_xid, last_id)
      WHERE s.shard = v.shard AND s.session = $1
      RETURNING s.shard`,
    /** $1 session */
    releaseShards: `UPDATE ${at('outbox_shard')} SET session = NULL WHERE session = $1`,
    /** $1 session, $2 at most */
    claim: `UPDATE ${at('outbox_shard')} SET session = $1
      WHERE shard IN (
        SELECT s.shard FROM ${at('outbox_shard')} s
        WHERE s.session IS NULL OR NOT EXISTS (SELECT FROM ${at('outbox_relay')} r WHERE r.session = s.session)
        ORDER BY s.shard
        FOR UPDATE OF s SKIP LOCKED
        LIMIT $2)
      RETURNING shard, done::text, done_id::text, done_xid::text, target::text, target_id::text, target_xid::text, last_id::text`,
    /** The last assigned id. A statement must read it before the one that takes the snapshot. */
    lastId: `SELECT (CASE WHEN is_called THEN last_value ELSE last_value - 1 END)::text AS last_id FROM ${at('outbox_id')}`,
    now: `SELECT now.snapshot::text, ${NEXT_XID}::text AS xid FROM (SELECT pg_current_snapshot() AS snapshot) AS now`,
    /**
     * $1 shards, $2 done, $3 its id, $4 its xid, $5 target or NULL for now, $6 last id, $7 most rows, $8 bytes of an event,
     * $9 bytes of all. All is found by an index, however long other transactions run. It walks past at most
     * {@link MOST_WALKED} rows of other shards, and then ends with one of these as a mark.
     */
    read: `WITH t AS MATERIALIZED (
        SELECT coalesce($5::pg_snapshot, now.snapshot) AS target, ${NEXT_XID} AS next_xid
        FROM (SELECT pg_current_snapshot() AS snapshot) AS now),
      ended AS MATERIALIZED (${endedSince('$4')}),
      walked AS (
        SELECT *, NOT shard = ANY ($1::int[]) AS is_mark
        FROM (${newRows(at('outbox'), { id: '$3', lastId: '$6', most: '$7', shards: '$1' })}
          ) AS parts ORDER BY id LIMIT $7
      ),
      -- The other part may have rows behind a mark that were not walked past yet.
      found AS (SELECT * FROM walked WHERE id <= (SELECT coalesce(min(id), 9223372036854775807) FROM walked WHERE is_mark)),
      summed AS (
        SELECT *, sum(least(bytes, $8)) OVER (ORDER BY id) - least(bytes, $8) AS bytes_before, count(*) OVER ()::int AS found FROM found
      )
      SELECT t.target::text AS target, t.next_xid::text AS xid, s.id::text AS id, s.shard, s.workspace, s.is_mark, s.found,
        (extract(epoch FROM s.emitted_at) * 1000)::float8 AS emitted_at,
        CASE WHEN s.bytes <= $8 AND NOT s.is_mark THEN s.event::text END AS event
      FROM t LEFT JOIN summed s ON s.bytes_before < $9
      ORDER BY s.id`,
    /**
     * $1 session; then a column each: id, shard, workspace, event or NULL for that of the outbox, emitted at (ms), state,
     * reason. Stores those of shards that the session has.
     */
    hold: `INSERT INTO ${at('outbox_held')} AS h (source_id, shard, workspace, event, bytes, emitted_at, state, reason)
      SELECT v.id, v.shard, v.workspace, e.event, octet_length(e.event::text), to_timestamp(v.emitted_at / 1000), v.state, v.reason
      FROM unnest($2::bigint[], $3::int[], $4::text[], $5::text[], $6::float8[], $7::text[], $8::text[]) WITH ORDINALITY
        AS v(id, shard, workspace, event, emitted_at, state, reason, n)
      CROSS JOIN LATERAL (SELECT coalesce(v.event::jsonb, (SELECT o.event FROM ${at('outbox')} o WHERE o.id = v.id)) AS event) AS e
      WHERE EXISTS (SELECT FROM ${at('outbox_shard')} s WHERE s.shard = v.shard AND s.session = $1) AND e.event IS NOT NULL
      ORDER BY v.n
      ON CONFLICT (source_id) DO UPDATE SET state = excluded.state, reason = excluded.reason, held_at = now()
        WHERE h.state = 'waiting'`,
    /** $1 shards. A step of an index for each workspace, however many rows wait. */
    workspacesWaiting: `WITH RECURSIVE w AS (
        (SELECT shard, workspace FROM ${at('outbox_held')} WHERE state = 'waiting' ORDER BY shard, workspace LIMIT 1)
        UNION ALL
        SELECT n.shard, n.workspace FROM w CROSS JOIN LATERAL (
          SELECT h.shard, h.workspace FROM ${at('outbox_held')} h
          WHERE h.state = 'waiting' AND (h.shard, h.workspace) > (w.shard, w.workspace)
          ORDER BY h.shard, h.workspace LIMIT 1) n
      )
      SELECT workspace FROM w WHERE shard = ANY ($1::int[])`,
    /** $1 shards, $2 workspace, $3 most rows, $4 bytes of an event */
    waiting: `SELECT source_id::text AS id, shard, workspace, CASE WHEN bytes <= $4 THEN event::text END AS event,
        (extract(epoch FROM emitted_at) * 1000)::float8 AS emitted_at
      FROM ${at('outbox_held')}
      WHERE state = 'waiting' AND shard = ANY ($1::int[]) AND workspace = $2
      ORDER BY position LIMIT $3`,
    /** $1 session; then a column each: id, state, reason. Of shards that the session has. */
    change: `UPDATE ${at('outbox_held')} AS h SET state = v.state, reason = v.reason, held_at = now()
      FROM unnest($2::bigint[], $3::text[], $4::text[]) AS v(id, state, reason)
      WHERE h.source_id = v.id AND h.state = 'waiting' AND (h.state, h.reason) <> (v.state, v.reason)
        AND EXISTS (SELECT FROM ${at('outbox_shard')} s WHERE s.shard = h.shard AND s.session = $1)`,
    /** $1 ids in the outbox */
    release: `DELETE FROM ${at('outbox_held')} WHERE state = 'waiting' AND source_id = ANY ($1::bigint[])`,
    /** $1 shards, $2 done, $3 its id, $4 its xid, $5 last id, $6 most */
    ahead: `WITH t AS MATERIALIZED (SELECT pg_current_snapshot() AS target),
      ended AS MATERIALIZED (${endedSince('$4')})
      SELECT count(*)::int AS waiting, (extract(epoch FROM now() - min(emitted_at)) * 1000)::float8 AS oldest_ms
      FROM (${newRows(at('outbox'), { id: '$3', lastId: '$5', most: '$6', shards: null })}
      ) AS rows WHERE shard = ANY ($1::int[])`,
    /** $1 shards, $2 most */
    held: `SELECT
        (SELECT count(*)::int FROM (SELECT FROM ${at('outbox_held')}
          WHERE state = 'waiting' AND shard = ANY ($1::int[]) LIMIT $2) AS rows) AS waiting,
        (SELECT count(*)::int FROM (SELECT FROM ${at('outbox_held')}
          WHERE state = 'failed' AND shard = ANY ($1::int[]) LIMIT $2) AS rows) AS failed,
        (SELECT (extract(epoch FROM now() - min(emitted_at)) * 1000)::float8 FROM (SELECT emitted_at FROM ${at('outbox_held')}
          WHERE state = 'waiting' AND shard = ANY ($1::int[]) LIMIT $2) AS rows) AS oldest_ms`,
    /** The sizes of files: the only row that is read is the oldest. */
    stored: `SELECT (${slotNames(at).map(sizeOf).join(' + ')})::float8 AS emitted_bytes, ${sizeOf(at('outbox_held'))}::float8 AS held_bytes,
        (extract(epoch FROM now() - (SELECT emitted_at FROM ${at('outbox')} ORDER BY id LIMIT 1)) * 1000)::float8 AS oldest_ms`,
    /** $1 ms from now; 0: relays poll and need no notification */
    notifyFor: `SELECT setval(${pg.escapeLiteral(at('outbox_wake_until'))},
      CASE WHEN $1::bigint = 0 THEN 0 ELSE (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $1::bigint END)`,
    listen: `LISTEN ${pg.escapeIdentifier(channelOf(schema))}`,

    /**
     * Whether the transaction ids in the outbox are those of this cluster. A replica that was promoted, or a base backup that
     * was restored, is another timeline of it: ids, progress and rows come from the same WAL, so they fit. Not so a dump, and
     * ids that were not given out yet.
     */
    isOwn: `SELECT c.system_identifier = s.system_identifier AND c.outbox_oid = ${pg.escapeLiteral(at('outbox'))}::regclass
        AND (SELECT count(*) FROM ${at('outbox_shard')}) = ${SHARDS}
        AND NOT EXISTS (SELECT FROM ${at('outbox_shard')} WHERE done_xid > next.xid OR target_xid > next.xid
          OR pg_snapshot_xmax(done) > next.xid OR pg_snapshot_xmax(target) > next.xid)
        AND NOT EXISTS (SELECT FROM ${at('outbox')} WHERE xid >= next.xid) AS own
      FROM ${at('outbox_cluster')} c, pg_control_system() s, (SELECT pg_snapshot_xmax(pg_current_snapshot()) AS xid) AS next`,
    lockProducersOut: `LOCK TABLE ${at('outbox')} IN EXCLUSIVE MODE`,
    /** Makes rows that came from elsewhere look new, in their order. */
    adopt: [
      `SELECT setval(${pg.escapeLiteral(at('outbox_id'))}, greatest((SELECT max(id) FROM ${at('outbox')}), (SELECT last_value FROM ${at('outbox_id')}), 1))`,
      `WITH rows AS (DELETE FROM ${at('outbox')} RETURNING *)
        INSERT INTO ${at('outbox')} (id, slot, shard, xid, workspace, event, bytes, emitted_at)
        SELECT nextval(${pg.escapeLiteral(at('outbox_id'))}), slot, shard, pg_current_xact_id(), workspace, event, bytes, emitted_at
        FROM (SELECT * FROM rows ORDER BY emitted_at, id) AS ordered`,
      `INSERT INTO ${at('outbox_shard')} (shard) SELECT generate_series(0, ${SHARDS - 1}) ON CONFLICT DO NOTHING`,
      `UPDATE ${at('outbox_shard')} SET session = NULL, done = '1:1:', done_id = 0, done_xid = '1', target = NULL, target_id = NULL, target_xid = NULL, last_id = 0`,
      `UPDATE ${at('outbox_cluster')} SET system_identifier = (SELECT system_identifier FROM pg_control_system()),
        outbox_oid = ${pg.escapeLiteral(at('outbox'))}::regclass`,
    ],

    /** Whether every row of a partition was published, by all transactions that have ended; NULL where it is empty. */
    isPublished: (slot: number) => isPublished(at, slot),
    /** Checks again under the lock: a transaction may have written to the partition since. */
    emptyPartition: (slot: number) => `DO $do$
      BEGIN
        LOCK TABLE ${at(`outbox_${slot}`)} IN ACCESS EXCLUSIVE MODE NOWAIT;
        IF (${isPublished(at, slot)}) THEN
          TRUNCATE ${at(`outbox_${slot}`)};
        END IF;
      EXCEPTION WHEN lock_not_available THEN NULL;
      END $do$`,
    /**
     * Rewrites a small table without the old versions of updated rows. While a transaction of the producer runs for days,
     * nothing else removes these, and every statement would read them.
     */
    rewrite: (table: 'outbox_shard' | 'outbox_relay') => `DO $do$
      DECLARE
        kept ${at(`${table}`)}[];
      BEGIN
        IF pg_relation_size(${pg.escapeLiteral(at(table))}) <= ${MOST_BYTES_OF_LEASES} THEN
          RETURN;
        END IF;
        LOCK TABLE ${at(table)} IN ACCESS EXCLUSIVE MODE NOWAIT;
        SELECT array_agg(t) INTO kept FROM ${at(table)} t;
        TRUNCATE ${at(table)};
        INSERT INTO ${at(table)} SELECT * FROM unnest(kept);
      EXCEPTION WHEN lock_not_available THEN NULL;
      END $do$`,

    /** $1 workspace or NULL, $2 event ids or NULL, $3 most */
    failed: `SELECT position::text, workspace, event::text AS event, reason,
        (extract(epoch FROM emitted_at) * 1000)::float8 AS emitted_at,
        (extract(epoch FROM held_at) * 1000)::float8 AS failed_at
      FROM ${at('outbox_held')} WHERE ${FAILED} ORDER BY position LIMIT $3`,
    retry: `UPDATE ${at('outbox_held')} SET state = 'waiting', reason = 'retried' WHERE ${FAILED}`,
    drop: `DELETE FROM ${at('outbox_held')} WHERE ${FAILED}`,
    /** $1 workspaces, $2 most rows that are counted of each */
    waitingOf: `SELECT v.workspace, first.reason, (extract(epoch FROM first.emitted_at) * 1000)::float8 AS emitted_at, counted.rows
      FROM unnest($1::text[]) AS v(workspace)
      CROSS JOIN LATERAL (SELECT reason, emitted_at ${waitingIn(at, 'v.workspace')} ORDER BY position LIMIT 1) AS first
      CROSS JOIN LATERAL (SELECT count(*)::int AS rows FROM (SELECT ${waitingIn(at, 'v.workspace')} LIMIT $2) AS found) AS counted`,
    /** $1 workspace */
    lastWaiting: `SELECT max(position)::text AS position ${waitingIn(at, '$1::text')}`,
    /**
     * $1 workspace, $2 after this position, $3 up to this one, $4 most. A relay may have locked rows that it just published:
     * they go without this.
     */
    dropWaiting: `DELETE FROM ${at('outbox_held')} WHERE position IN (
      SELECT position ${waitingIn(at, '$1::text')} AND position > $2 AND position <= $3
      ORDER BY position LIMIT $4 FOR UPDATE SKIP LOCKED) RETURNING position::text AS position`,
  }
}

/** Of a table with one row for each relay or shard. */
const MOST_BYTES_OF_LEASES = 32 * 8192
/** Takes some 20 ms. */
const MOST_WALKED = 20_000

/**
 * The first transaction id that was not given out yet, beside a snapshot `now.snapshot`: the age of the first one, which has
 * 32 bits, brought near to the snapshot.
 */
const NEXT_XID = `(SELECT (top + mod(mod(3 + age('3'::xid)::bigint - top, 4294967296) + 4294967296, 4294967296))::text::xid8
  FROM (SELECT pg_snapshot_xmax(now.snapshot)::text::bigint AS top) AS ends)`

/** Transactions that were running at the moment with the snapshot $2, and have ended since, before `t.target`. */
const endedSince = (xid: string) => `
        SELECT x.xid FROM t CROSS JOIN LATERAL (
          SELECT pg_snapshot_xip($2::pg_snapshot) AS xid
          UNION ALL
          SELECT n::text::xid8 FROM generate_series(
            pg_snapshot_xmax($2::pg_snapshot)::text::bigint, ${xid}::xid8::text::bigint - 1) AS n
        ) AS x WHERE pg_visible_in_snapshot(x.xid, t.target)`

/**
 * The rows between the moment with the snapshot $2 and `t.target`, in two parts, neither of which looks at rows of a
 * transaction that is still running: it may have a million. Rows are compared as pairs so that only the index over both serves it.
 */
const newRows = (
  outbox: string,
  params: {
    readonly id: string
    readonly lastId: string
    readonly most: string
    /** A parameter; `null`: all, so that no more rows are looked at than are found. */
    readonly shards: string | null
  },
) => {
  const { id, lastId, most, shards } = params
  const part = (rows: string, order: string) => {
    const ordered = (limit: string | number) =>
      `SELECT o.* FROM ${outbox} o ${rows} ORDER BY ${order} LIMIT ${limit}`
    if (shards === null) return ordered(most)
    return `SELECT * FROM (
                SELECT *, row_number() OVER () AS step FROM (${ordered(MOST_WALKED)}) AS o) AS o
              WHERE shard = ANY (${shards}::int[]) OR step = ${MOST_WALKED} ORDER BY ${order} LIMIT ${most}`
  }
  return `
            (SELECT o.* FROM ended CROSS JOIN LATERAL (${part(
              `WHERE (o.xid, o.id) > (ended.xid, ${lastId}::bigint) AND (o.xid, o.id) <= (ended.xid, ${id}::bigint)`,
              'o.xid, o.id',
            )}) AS o)
            UNION ALL
            (${part(
              `CROSS JOIN t WHERE o.id > greatest(${id}::bigint, ${lastId}::bigint)
                AND NOT pg_visible_in_snapshot(o.xid, $2::pg_snapshot)
                AND pg_visible_in_snapshot(o.xid, t.target)`,
              'o.id',
            )})`
}

const slotNames = (at: (name: string) => string) =>
  Array.from({ length: SLOTS }, (_, slot) => at(`outbox_${slot}`))

const sizeOf = (table: string) => `pg_total_relation_size(${pg.escapeLiteral(table)})`

/** The waiting rows of a workspace, found by an index. */
const waitingIn = (at: (name: string) => string, workspace: string): string =>
  `FROM ${at('outbox_held')} h WHERE h.state = 'waiting' AND h.shard = (${shardOf(workspace)})::smallint AND h.workspace = ${workspace}`

const isPublished = (at: (name: string) => string, slot: number): string =>
  `SELECT max(xid) < (SELECT min(pg_snapshot_xmin(done)) FROM ${at('outbox_shard')}) AS published FROM ${at(`outbox_${slot}`)}`

/** What an outbox notifies its relays under. */
const channelOf = (schema: string): string => `${schema}_outbox`

const FAILED = `state = 'failed' AND ($1::text IS NULL OR workspace = $1) AND ($2::text[] IS NULL OR event ->> 'id' = ANY ($2))`

export type Statements = ReturnType<typeof statementsFor>
