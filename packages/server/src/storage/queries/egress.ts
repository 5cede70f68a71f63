import { type EgressVerbs, OUTAGE_AFTER_MS, OUTAGES_KNOWN, type Outage } from '../interface/egress.ts'
import { list, lookup, type Queries, write } from './query.ts'
import { columns, FOR_NO_KEY_UPDATE, sql } from './sql.ts'
import { row, rows, run, type Work } from './work.ts'

/** Webhooks that are looked at for some that received lately. */
const MAX_LOOKED = 500
/** Deliveries of each that are. */
const MAX_DELIVERIES = 20

const NEWEST = `ORDER BY id DESC LIMIT ${OUTAGES_KNOWN}`

export const egressSql = {
  read: sql`SELECT open_at AS "openAt" FROM egress WHERE id = 1`,
  lock: sql`SELECT open_at AS "openAt" FROM egress WHERE id = 1 ${FOR_NO_KEY_UPDATE}`,
  note: sql`INSERT INTO egress (id, open_at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET open_at = $1`,
  add: sql`INSERT INTO outages (began_at, ended_at, waited) VALUES ($1, $2, $3)`,
  /** More than anybody looks at are never kept. */
  prune: sql`DELETE FROM outages WHERE id <= (SELECT max(id) FROM outages) - ${String(OUTAGES_KNOWN)}`,
  list: sql`SELECT ${columns('beganAt endedAt waited')} FROM outages ${NEWEST}`,
  reached: sql`
    SELECT w.id AS "webhookId", ${columns('workspaceId url', 'w')}
    FROM (
      SELECT id, workspace_id, url, row_number() OVER (PARTITION BY workspace_id ORDER BY id DESC) AS place
      FROM webhooks
      WHERE status = 'on' AND deleted_at IS NULL AND failing_since IS NULL
      ORDER BY place, id DESC LIMIT ${String(MAX_LOOKED)}) w
    WHERE EXISTS (
      SELECT 1 FROM (
        SELECT status FROM deliveries
        WHERE webhook_id = w.id AND created_at >= $1 ORDER BY created_at DESC LIMIT ${String(MAX_DELIVERIES)}) d
      WHERE d.status = 'delivered')
    ORDER BY w.place, w.id DESC LIMIT $2`,
}

interface Noted {
  readonly openAt: number
}

export const egressQueries: Queries<keyof EgressVerbs> = {
  readOpen: lookup(function* () {
    return (yield* row<Noted>(egressSql.read))?.openAt ?? null
  }),
  noteOpen: write(function* ({ now, waited, gapCounts }) {
    const noted = yield* row<Noted>(egressSql.lock)
    if (gapCounts && noted !== undefined && now - noted.openAt > OUTAGE_AFTER_MS) {
      yield* run(egressSql.add, [noted.openAt, now, waited])
      yield* run(egressSql.prune)
    }
    yield* run(egressSql.note, [now])
    return yield* listOutages()
  }),
  listOutages: list(listOutages),
  recentlyReached: list(({ since, limit }) => rows(egressSql.reached, [since, limit])),
}

function listOutages(): Work<readonly Outage[]> {
  return rows<Outage>(egressSql.list)
}
