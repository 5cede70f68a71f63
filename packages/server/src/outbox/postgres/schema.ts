import pg from 'pg'
import { byForm, type EventForm } from '../eventForms.ts'
import { SHARDS, SLOT_SECONDS, SLOTS, shardOf } from './layout.ts'

const { escapeIdentifier, escapeLiteral } = pg

/** Longer ones fit no index. */
const MOST_NAME_BYTES = 255

/**
 * The SQL that sets up the outbox in a producer's database. Running it again changes nothing but the functions.
 *
 * `emit` reads the transaction id before it takes an id, and so must whatever else writes to the table: the relay relies on
 * rows of later transactions having higher ids than the sequence had before (`progress.ts`).
 */
export function outboxSql(params: {
  /** The schema to make it in. */
  readonly schema: string
  readonly forms: readonly EventForm[]
}): string {
  const at = (name: string) => `${escapeIdentifier(params.schema)}.${name}`
  const channel = escapeLiteral(`${params.schema}_outbox`)
  return `-- Posthorn's transactional outbox. Run this file as the owner of the database, once; again after an upgrade of Posthorn.
-- PostgreSQL 14 or later.

BEGIN;

-- Rather fail than let the application wait behind this file for a lock.
SET LOCAL lock_timeout = '5s';
-- No notices about what is there already.
SET LOCAL client_min_messages = warning;

CREATE SCHEMA IF NOT EXISTS ${escapeIdentifier(params.schema)};

-- Events in the order in which they were emitted. Rows are only inserted and read: a relay stores how far it came, and
-- empties a whole partition once everything in it was published.
CREATE SEQUENCE IF NOT EXISTS ${at('outbox_id')} CACHE 1;
CREATE TABLE IF NOT EXISTS ${at('outbox')} (
  id bigint NOT NULL,
  slot smallint NOT NULL,
  shard smallint NOT NULL,
  xid xid8 NOT NULL,
  workspace text NOT NULL,
  event jsonb NOT NULL CHECK (event ->> 'id' IS NOT NULL),
  -- Of the event as text, so that a relay can choose rows before it reads large ones.
  bytes int NOT NULL,
  emitted_at timestamptz NOT NULL
) PARTITION BY LIST (slot);
CREATE INDEX IF NOT EXISTS outbox_by_id ON ${at('outbox')} (id);
CREATE INDEX IF NOT EXISTS outbox_by_xid ON ${at('outbox')} (xid, id);
${slots((slot) => `CREATE TABLE IF NOT EXISTS ${at(`outbox_${slot}`)} PARTITION OF ${at('outbox')} FOR VALUES IN (${slot});`)}

-- Relays that are running. Each shares the shards evenly with the others, as long as it is seen.
CREATE TABLE IF NOT EXISTS ${at('outbox_relay')} (
  relay uuid PRIMARY KEY,
  session uuid NOT NULL,
  seen_at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- How far each shard, a part of the workspaces, was published, and the session of a relay that has it. It is free if no
-- relay has this session.
CREATE TABLE IF NOT EXISTS ${at('outbox_shard')} (
  shard smallint PRIMARY KEY,
  session uuid,
  done pg_snapshot NOT NULL DEFAULT '1:1:',
  done_id bigint NOT NULL DEFAULT 0,
  done_xid xid8 NOT NULL DEFAULT '1',
  target pg_snapshot,
  target_id bigint,
  target_xid xid8,
  last_id bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
INSERT INTO ${at('outbox_shard')} (shard)
  SELECT generate_series(0, ${SHARDS - 1}) ON CONFLICT DO NOTHING;

-- An outbox that was made before relays had sessions.
ALTER TABLE ${at('outbox_relay')} ADD COLUMN IF NOT EXISTS session uuid NOT NULL DEFAULT gen_random_uuid();
ALTER TABLE ${at('outbox_shard')} ADD COLUMN IF NOT EXISTS session uuid, DROP COLUMN IF EXISTS relay, DROP COLUMN IF EXISTS leased_until;

-- Events that wait because their workspace is blocked, and those that failed because Posthorn rejected them.
CREATE TABLE IF NOT EXISTS ${at('outbox_held')} (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The id in the outbox.
  source_id bigint NOT NULL,
  shard smallint NOT NULL,
  workspace text NOT NULL,
  event jsonb NOT NULL,
  bytes int NOT NULL,
  emitted_at timestamptz NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'failed')),
  reason text NOT NULL,
  held_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX IF NOT EXISTS outbox_held_once ON ${at('outbox_held')} (source_id);
CREATE INDEX IF NOT EXISTS outbox_held_waiting ON ${at('outbox_held')} (shard, workspace, position) WHERE state = 'waiting';
CREATE INDEX IF NOT EXISTS outbox_held_failed ON ${at('outbox_held')} (position) WHERE state = 'failed';

-- Which database cluster and which table the transaction ids above belong to. A dump that is restored has another table, maybe
-- in another cluster, where they mean nothing: the relay publishes all rows that are left once more, under the same event ids.
CREATE TABLE IF NOT EXISTS ${at('outbox_cluster')} (only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), system_identifier bigint NOT NULL, outbox_oid oid);
ALTER TABLE ${at('outbox_cluster')} ADD COLUMN IF NOT EXISTS outbox_oid oid;
INSERT INTO ${at('outbox_cluster')} (system_identifier)
  SELECT system_identifier FROM pg_control_system() ON CONFLICT DO NOTHING;
UPDATE ${at('outbox_cluster')} SET outbox_oid = ${escapeLiteral(at('outbox'))}::regclass WHERE outbox_oid IS NULL;

-- Until when (Unix ms) relays wait for a notification. A sequence, since reading and setting it costs no row versions.
CREATE SEQUENCE IF NOT EXISTS ${at('outbox_wake_until')} MINVALUE 0 START 0;

-- Emits an event with the transaction that calls it. Returns the id of the event.
CREATE OR REPLACE FUNCTION ${at('emit')}(workspace text, event jsonb) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $emit$
DECLARE
  at timestamptz := clock_timestamp();
  at_ms bigint := (extract(epoch FROM at) * 1000)::bigint;
  xid xid8 := pg_current_xact_id();
  event_id text := event ->> 'id';
  time_member text := ${timeExpression(params.forms)};
  given jsonb := event;
  id_bytes bytea;
BEGIN
  IF workspace IS NULL OR workspace = '' THEN
    RAISE EXCEPTION 'posthorn emit: give the workspace as the first argument' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF event IS NULL OR jsonb_typeof(event) <> 'object' OR jsonb_typeof(event -> 'type') IS DISTINCT FROM 'string' THEN
    RAISE EXCEPTION 'posthorn emit: give the event as a JSON object with a "type", as in {"type": "order.created", "data": {}}'
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF octet_length(workspace) > ${MOST_NAME_BYTES} OR octet_length(event_id) > ${MOST_NAME_BYTES} THEN
    RAISE EXCEPTION 'posthorn emit: the workspace and the id of an event may have at most ${MOST_NAME_BYTES} bytes' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF event_id IS NULL THEN
    -- A UUID of version 7.
    id_bytes := substring(int8send(at_ms) FROM 3) || substring(uuid_send(gen_random_uuid()) FROM 7);
    event_id := encode(set_byte(id_bytes, 6, (get_byte(id_bytes, 6) & 15) | 112), 'hex');
    event_id := ${idExpression(params.forms)};
    given := given || jsonb_build_object('id', event_id);
  END IF;
  IF NOT event ? time_member THEN
    given := given || jsonb_build_object(time_member, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
  END IF;
  INSERT INTO ${at('outbox')} (id, slot, shard, xid, workspace, event, bytes, emitted_at)
    VALUES (nextval(${escapeLiteral(at('outbox_id'))}), (at_ms / ${SLOT_SECONDS * 1000}) % ${SLOTS}, ${shardOf('emit.workspace')},
      xid, emit.workspace, given, octet_length(given::text), at);
  -- A transaction that sent a notification cannot be prepared for two-phase commit.
  IF (SELECT last_value FROM ${at('outbox_wake_until')}) > at_ms AND current_setting('max_prepared_transactions') = '0' THEN
    PERFORM pg_notify(${channel}, '');
  END IF;
  RETURN event_id;
END
$emit$;

COMMIT;

-- The application may emit once its role may use the schema:
--   GRANT USAGE ON SCHEMA ${escapeIdentifier(params.schema)} TO my_application;
`
}

const slots = (statement: (slot: number) => string): string =>
  Array.from({ length: SLOTS }, (_, slot) => statement(slot)).join('\n')

/** Of a new event id, from 32 hexadecimal digits in `event_id`. */
const idExpression = (forms: readonly EventForm[]): string =>
  byForm(forms, hasMember, ({ idPrefix }) =>
    idPrefix === null ? 'event_id::uuid::text' : `${escapeLiteral(idPrefix)} || event_id`,
  )

/** The name of the member that says when an event happened. */
const timeExpression = (forms: readonly EventForm[]): string =>
  byForm(forms, hasMember, ({ time }) => escapeLiteral(time))

const hasMember = (member: string): string => `event ? ${escapeLiteral(member)}`
