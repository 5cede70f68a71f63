import type { TimeClosed } from '../../core/health.ts'
import { eachLine } from '../../core/stats/bucketText.ts'
import { counterOf } from '../../core/stats/counters.ts'
import { readCounts, type Tally } from '../../core/stats/tally.ts'
import { startOf, UNIT_MS } from '../../core/stats/units.ts'
import type { CallParams, CallResult } from '../callGroups.ts'
import { type EgressCalls, OUTAGE_AFTER_MS, OUTAGES_KNOWN, type Outage } from '../interface/egress.ts'
import { list, lookup, type Queries, write } from './query.ts'
import { columns, FOR_NO_KEY_UPDATE, joinEach, records, sql, tableOf } from './sql.ts'
import { statsSql } from './stats.ts'
import type { PendingCountsRow } from './statsRollup.ts'
import { all, row, rows, run, type Work } from './work.ts'

/** Most webhooks of one workspace that are returned as receivers, and most webhooks at one origin. */
const MAX_ALIKE = 3
/** Webhooks of one workspace that are looked at for some at different origins. */
const MAX_PLACES = 20
/** Webhooks that are looked at from each end: one customer may have made all of the newest. */
const MAX_EACH_END = 2_000
/** Buckets of an hour that are read from each end, for the same reason. A bucket has up to 32 webhooks. */
const BUCKETS_EACH_END = 64
/** Buckets that are read in all. */
const MAX_BUCKETS = 500

const NEWEST = `ORDER BY id DESC LIMIT ${OUTAGES_KNOWN}`
const HOURS = "unit = 'hour' AND scope = 'webhook'"
const hour = (order: string) => sql`
  SELECT bucket, data FROM stats WHERE ${HOURS} AND at = $1
  ORDER BY bucket ${order} LIMIT ${String(BUCKETS_EACH_END)}`
const WEBHOOK = 'id, workspace_id, url, status, deleted_at'
const webhooksFrom = (end: string, order: string) =>
  `SELECT * FROM (SELECT ${WEBHOOK} FROM webhooks ORDER BY id ${order} LIMIT ${MAX_EACH_END}) ${end}`
const placeOf = (alias: string) =>
  `row_number() OVER (PARTITION BY ${alias}.workspace_id ORDER BY ${alias}.id DESC) AS place`
const RECEIVER = `id AS "webhookId", ${columns('workspaceId url')}`
const BY_PLACE = `WHERE place <= ${MAX_PLACES} ORDER BY place, id DESC`

export const egressSql = {
  read: sql`SELECT open_at AS "openAt" FROM egress WHERE id = 1`,
  lock: sql`SELECT open_at AS "openAt" FROM egress WHERE id = 1 ${FOR_NO_KEY_UPDATE}`,
  note: sql`INSERT INTO egress (id, open_at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET open_at = $1`,
  add: sql`INSERT INTO outages (began_at, ended_at, waited) VALUES ($1, $2, $3)`,
  /** Limit of what is kept, more than people look at. */
  prune: sql`DELETE FROM outages WHERE id <= (SELECT max(id) FROM outages) - ${String(OUTAGES_KNOWN)}`,
  list: sql`SELECT ${columns('beganAt endedAt waited')} FROM outages ${NEWEST}`,
  /** One statement: a note between two would show an outage twice, or not at all. The last note has no end. */
  closed: sql`
    SELECT ${columns('beganAt endedAt')} FROM (SELECT began_at, ended_at FROM outages ${NEWEST}) o
    UNION ALL SELECT open_at, NULL FROM egress WHERE id = 1`,
  lastHour: sql`SELECT max(at) AS at FROM stats WHERE ${HOURS} AND at < $1`,
  oldestOfHour: hour('ASC'),
  newestOfHour: hour('DESC'),
  receivers: sql`
    SELECT ${RECEIVER} FROM (
      SELECT w.id, w.workspace_id, w.url, ${placeOf('w')}
      FROM ${tableOf('x', '$1', { id: 'bigint' })} ${joinEach('webhooks', 'w', 'w.id = x.id')}
      WHERE w.status = 'on' AND w.deleted_at IS NULL AND w.failing_since IS NULL) placed
    ${BY_PLACE}`,
  anyReceivers: sql`
    SELECT ${RECEIVER} FROM (
      SELECT id, workspace_id, url, ${placeOf('looked_at')}
      FROM (${webhooksFrom('newest', 'DESC')} UNION ${webhooksFrom('oldest', 'ASC')}) looked_at
      WHERE status = 'on' AND deleted_at IS NULL) placed
    ${BY_PLACE}`,
}

interface Noted {
  readonly openAt: number
}

export const egressQueries: Queries<keyof EgressCalls> = {
  readOpen: lookup(function* () {
    return (yield* row<Noted>(egressSql.read))?.openAt ?? null
  }),
  noteOpen: write(function* ({ now, waited, notBefore }) {
    const noted = yield* row<Noted>(egressSql.lock)
    const gap = noted === undefined ? null : gapSince(noted.openAt, now, notBefore)
    if (gap !== null) {
      yield* run(egressSql.add, [gap.beganAt, gap.endedAt, waited])
      yield* run(egressSql.prune)
    }
    yield* run(egressSql.note, [now])
  }),
  listOutages: list(() => rows<Outage>(egressSql.list)),
  recentlyReached: list(function* ({ since, limit }) {
    const chosen = new Receivers(limit)
    if (since === null) chosen.add(yield* rows<Receiver>(egressSql.anyReceivers))
    else yield* chooseReached(chosen, since)
    return chosen.all
  }),
}

/**
 * When no node could send, also while that still lasts.
 * @param notBefore Unix ms; an outage that lasts began no earlier, whatever the notes say; `null`: that is not known
 */
export function* readClosed(now: number, notBefore: number | null): Work<readonly TimeClosed[]> {
  const closed = yield* rows<{ readonly beganAt: number; readonly endedAt: number | null }>(egressSql.closed)
  return closed.flatMap(({ beganAt, endedAt }) =>
    endedAt === null ? (gapSince(beganAt, now, notBefore) ?? []) : { beganAt, endedAt },
  )
}

/** @returns the outage between the last note and `now`; `null`: there was none, as far as the clock can be trusted */
export function gapSince(openAt: number, now: number, notBefore: number | null): TimeClosed | null {
  const beganAt = Math.max(openAt, notBefore ?? openAt)
  return now - beganAt > OUTAGE_AFTER_MS ? { beganAt, endedAt: now } : null
}

type Receiver = CallResult<'recentlyReached'>[number]

/** Receivers that are different enough: if all that are known were one customer's, or one server, they would fail together. */
export class Receivers {
  readonly #limit: number
  readonly #chosen: Receiver[] = []
  /** How many there are of each workspace, and of each origin. */
  readonly #counts = new Map<number | string, number>()

  constructor(limit: CallParams<'recentlyReached'>['limit']) {
    this.#limit = limit
  }

  get all(): readonly Receiver[] {
    return this.#chosen
  }

  get full(): boolean {
    return this.#chosen.length >= this.#limit
  }

  /** @param receivers the best first */
  add(receivers: readonly Receiver[]): void {
    for (const receiver of receivers) {
      if (this.full) return
      const { workspaceId, url } = receiver
      const origin = URL.canParse(url) ? new URL(url).origin : url
      const both = `${workspaceId} ${origin}`
      const counts = this.#counts
      const of = (key: number | string) => counts.get(key) ?? 0
      if (of(workspaceId) >= MAX_ALIKE || of(origin) >= MAX_ALIKE || of(both) > 0) continue
      for (const key of [workspaceId, origin, both]) counts.set(key, of(key) + 1)
      this.#chosen.push(receiver)
    }
  }
}

/**
 * Reads the counts of attempts, hour by hour from the newest, and not deliveries, of which millions may wait. It is bounded by
 * the number of buckets, which are found by their key, and by the webhooks in them.
 */
function* chooseReached(chosen: Receivers, since: number): Work<void> {
  const lookedAt = new Set<number>()
  function* choose(texts: readonly string[]): Work<void> {
    const ids = new Set(texts.flatMap(reachedIn).filter((id) => !lookedAt.has(id)))
    for (const id of ids) lookedAt.add(id)
    if (ids.size === 0) return
    const found = Array.from(ids, (id) => ({ id }))
    chosen.add(yield* rows<Receiver>(egressSql.receivers, [records(found)]))
  }

  // First the pending counts: they may be added to buckets before these are read.
  const pending = yield* rows<PendingCountsRow>(statsSql.pendingCounts)
  yield* choose(pending.flatMap(({ at, scope, data }) => (scope === 'webhook' && at >= since ? data : [])))
  let left = MAX_BUCKETS
  let before = Number.MAX_SAFE_INTEGER
  while (left > 0 && !chosen.full) {
    const at = (yield* row<{ readonly at: number | null }>(egressSql.lastHour, [before]))?.at ?? null
    if (at === null || at < startOf(since, UNIT_MS.hour)) return
    const ends = yield* all(
      rows<BucketRow>(egressSql.newestOfHour, [at]),
      rows<BucketRow>(egressSql.oldestOfHour, [at]),
    )
    const buckets = new Map(ends.flat().map(({ bucket, data }) => [bucket, data]))
    yield* choose([...buckets.values()])
    left -= buckets.size
    before = at
  }
}

interface BucketRow {
  readonly bucket: number
  readonly data: string
}

/** @returns ids of the webhooks that received something */
function reachedIn(data: string): number[] {
  const ids: number[] = []
  eachLine(data, (id, from, to) => {
    const counts: Tally = new Map()
    readCounts(counts, data, from, to)
    if (counts.has(counterOf('delivered'))) ids.push(id)
  })
  return ids
}
