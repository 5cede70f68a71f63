import { groupBy } from '../../core/groupBy.ts'
import { addToBucket, eachLine, readLine } from '../../core/stats/bucketText.ts'
import { counterOf, EVENTS_COUNTER, OUTCOMES } from '../../core/stats/counters.ts'
import { deliveriesOf, summaryOf } from '../../core/stats/summary.ts'
import { addTally, type ReadonlyTally, readCounts, type Tally } from '../../core/stats/tally.ts'
import { startsOf, UNIT_MS } from '../../core/stats/units.ts'
import type { CallParams, CallResult } from '../callGroups.ts'
import type { RankedStats, StatsPoint } from '../storage.ts'
import { listInTransaction, type Queries, write } from './query.ts'
import { isOneOf, joinEach, numberList, records, sql, tableOf } from './sql.ts'
import {
  type BucketChange,
  type BucketKey,
  bucketIndexOf,
  firstIdOf,
  isCutShort,
  PENDING_READ,
  type PendingCountsRow,
  ROLLUP_STEP,
  type Rollup,
  rollupOf,
} from './statsRollup.ts'
import { all, callDriver, row, rows, run, type Work } from './work.ts'

/** Buckets of each span that one call of a ranking reads. */
const BUCKETS_RANKED = 16
const KEY = { unit: 'text', scope: 'text', at: 'bigint', bucket: 'bigint' } as const

export const statsSql = {
  step: sql`
    SELECT id, at, scope, data FROM (
      SELECT id, at, scope, data, sum(length(data)) OVER (ORDER BY id) - length(data) AS before
      FROM (SELECT * FROM pending_counts WHERE id > 0 ORDER BY id LIMIT ${String(ROLLUP_STEP.rows)}) oldest) counted
    WHERE before < ${String(ROLLUP_STEP.bytes)}`,
  pendingCounts: sql`
    SELECT id, at, scope, data FROM pending_counts WHERE id > 0 ORDER BY id LIMIT ${String(PENDING_READ)}`,
  workspacesOf: sql`
    SELECT w.id, w.workspace_id FROM ${tableOf('x', '$1', { id: 'bigint' })}
    ${joinEach('webhooks', 'w', 'w.id = x.id')}`,
  found: sql`
    SELECT s.unit, s.scope, s.at, s.bucket, s.data FROM ${tableOf('k', '$1', KEY)}
    ${joinEach('stats', 's', 's.unit = k.unit AND s.scope = k.scope AND s.at = k.at AND s.bucket = k.bucket')}`,
  write: sql`
    INSERT INTO stats (unit, scope, at, bucket, data)
    SELECT unit, scope, at, bucket, data FROM ${tableOf('k', '$1', { ...KEY, data: 'text' })} WHERE true
    ON CONFLICT (unit, scope, at, bucket) DO UPDATE SET data = excluded.data`,
  remove: sql`DELETE FROM pending_counts WHERE id ${isOneOf('$1', 'bigint')}`,
  buckets: sql`
    SELECT s.at, s.bucket, s.data
    FROM ${tableOf('a', '$3', { at: 'bigint' })} CROSS JOIN ${tableOf('b', '$4', { bucket: 'bigint' })}
    ${joinEach('stats', 's', 's.unit = $1 AND s.scope = $2 AND s.at = a.at AND s.bucket = b.bucket')}`,
  ranked: sql`
    SELECT s.data FROM ${tableOf('a', '$3', { at: 'bigint' })}
    ${joinEach('stats', 's', 's.unit = $1 AND s.scope = $2 AND s.at = a.at AND s.bucket >= $4 AND s.bucket < $5')}`,
}

/** Ids have gaps, of a billion where a backup was put back. */
export const nextIdSql = {
  webhook: sql`SELECT min(id) AS id FROM webhooks WHERE id >= $1`,
  workspace: sql`SELECT min(id) AS id FROM workspaces WHERE id >= $1`,
}

export const statsQueries: Queries<'rollUpStats' | 'readStats' | 'webhookHours' | 'rankStats'> = {
  rollUpStats: write(function* ({ now }) {
    if (!(yield* callDriver('tryAlone', 'stats'))) return false
    const pendingCounts = yield* rows<PendingCountsRow>(statsSql.step)
    if (pendingCounts.length === 0) return false
    const rollup = rollupOf(pendingCounts)
    yield* addToBuckets(rollup.changes(yield* workspacesOf(rollup), now))
    yield* run(statsSql.remove, [numberList(pendingCounts.map(({ id }) => id))])
    return isCutShort(pendingCounts)
  }),
  readStats: listInTransaction(read),
  webhookHours: listInTransaction(function* ({ webhookIds: ids, from, to }) {
    const stats = yield* read({ scope: 'webhook', ids, unit: 'hour', stepMs: UNIT_MS.hour, from, to })
    const hoursOf = groupBy(stats, ({ id }) => id)
    return ids.map((webhookId) => {
      const hours = hoursOf.get(webhookId) ?? []
      const sum: Tally = new Map()
      for (const { counts } of hours) addTally(sum, counts)
      return {
        webhookId,
        responseMs: summaryOf(sum, 'webhook').responseMs,
        hours: hours.map(({ at, counts }) => ({
          at,
          ...attemptsOf(counts),
          deliveries: deliveriesOf(counts),
        })),
      }
    })
  }),
  rankStats: listInTransaction(function* ({ scope, by, cover, from, limit }) {
    const ranks = new StatsRanks()
    const to = from + BUCKETS_RANKED
    const [next, parts] = yield* all(
      row<{ readonly id: number | null }>(nextIdSql[scope], [firstIdOf(to)]),
      all(
        ...cover.map(({ unit, starts }) =>
          rows<{ readonly data: string }>(statsSql.ranked, [
            unit,
            scope,
            records(starts.map((at) => ({ at }))),
            from,
            to,
          ]),
        ),
      ),
    )
    for (const { data } of parts.flat()) ranks.addBucket(data)
    const nextId = next?.id ?? null
    return { ranked: ranks.first({ by, limit }), next: nextId === null ? null : bucketIndexOf(nextId) }
  }),
}

function* read(reading: CallParams<'readStats'>): Work<CallResult<'readStats'>> {
  const { scope, unit, from, to } = reading
  const sums = new StatsSums(reading)
  const starts = records(startsOf(from, to, unit).map((at) => ({ at })))
  const [buckets, pendingCounts] = yield* all(
    rows<BucketRow>(statsSql.buckets, [
      unit,
      scope,
      starts,
      records(sums.buckets.map((bucket) => ({ bucket }))),
    ]),
    rows<PendingCountsRow>(statsSql.pendingCounts),
  )
  for (const bucket of buckets) sums.addBucket(bucket)
  const rollup = rollupOf(pendingCounts)
  sums.addRollup(rollup, yield* workspacesOf(rollup))
  return sums.stats
}

interface Owner {
  readonly id: number
  readonly workspace_id: number
}

function* workspacesOf({ webhookIds }: Rollup): Work<Map<number, number>> {
  if (webhookIds.size === 0) return new Map()
  const owners = yield* rows<Owner>(statsSql.workspacesOf, [records([...webhookIds].map((id) => ({ id })))])
  return new Map(owners.map((owner) => [owner.id, owner.workspace_id]))
}

/** Locks the buckets against other writers. */
function* addToBuckets(changes: readonly BucketChange[]): Work<void> {
  const keys = changes.map(({ unit, scope, at, bucket }) => ({ unit, scope, at, bucket }))
  const known = yield* rows<BucketKey & { readonly data: string }>(statsSql.found, [records(keys)])
  const found = new Map(known.map((bucket) => [nameOf(bucket), bucket.data]))
  const buckets = changes.map(({ counts }, position) => {
    const key = keys[position]!
    return { ...key, data: addToBucket(found.get(nameOf(key)) ?? '', counts) }
  })
  yield* run(statsSql.write, [records(buckets)])
}

const nameOf = ({ unit, scope, at, bucket }: BucketKey): string => `${unit} ${scope} ${at} ${bucket}`

type Reading = CallParams<'readStats'>
type Ranking = CallParams<'rankStats'>

interface BucketRow {
  readonly at: number
  readonly bucket: number
  readonly data: string
}

/** Sums up what a reading asks for. */
class StatsSums {
  readonly #reading: Reading
  readonly #idsOfBucket = new Map<number, number[]>()
  readonly #stats = new Map<string, { readonly id: number; readonly at: number; readonly counts: Tally }>()

  constructor(reading: Reading) {
    this.#reading = reading
    for (const id of reading.ids) {
      const bucket = bucketIndexOf(id)
      const ids = this.#idsOfBucket.get(bucket)
      if (ids === undefined) this.#idsOfBucket.set(bucket, [id])
      else ids.push(id)
    }
  }

  get buckets(): readonly number[] {
    return [...this.#idsOfBucket.keys()]
  }

  addBucket({ at, bucket, data }: BucketRow): void {
    for (const id of this.#idsOfBucket.get(bucket)!) {
      const counts: Tally = new Map()
      readLine(counts, data, id)
      this.#add(id, at, counts)
    }
  }

  /** The pending counts. */
  addRollup(rollup: Rollup, workspaceOf: ReadonlyMap<number, number>): void {
    const { scope, ids, from, to } = this.#reading
    for (const id of ids)
      for (const [at, text] of rollup.countsOf(scope, id, workspaceOf)) {
        if (at < from || at >= to) continue
        const counts: Tally = new Map()
        readCounts(counts, text)
        this.#add(id, at, counts)
      }
  }

  /** By id and time. */
  get stats(): readonly StatsPoint[] {
    return [...this.#stats.values()].sort((one, other) => one.id - other.id || one.at - other.at)
  }

  #add(id: number, time: number, counts: ReadonlyTally): void {
    if (counts.size === 0) return
    const { from, stepMs } = this.#reading
    const at = from + Math.floor((time - from) / stepMs) * stepMs
    const name = `${id} ${at}`
    const point = this.#stats.get(name)
    if (point === undefined) this.#stats.set(name, { id, at, counts: new Map(counts) })
    else addTally(point.counts, counts)
  }
}

function attemptsOf(counts: ReadonlyTally): { readonly succeeded: number; readonly failed: number } {
  let [succeeded, failed] = [0, 0]
  for (const outcome of OUTCOMES) {
    const times = counts.get(counterOf(outcome)) ?? 0
    if (outcome === 'delivered') succeeded += times
    else failed += times
  }
  return { succeeded, failed }
}

/** Sums up whole buckets, and ranks their ids. */
class StatsRanks {
  readonly #tallies = new Map<number, Tally>()

  addBucket(data: string): void {
    eachLine(data, (id, from, to) => {
      let tally = this.#tallies.get(id)
      if (tally === undefined) {
        tally = new Map()
        this.#tallies.set(id, tally)
      }
      readCounts(tally, data, from, to)
    })
  }

  first({ by, limit }: Pick<Ranking, 'by' | 'limit'>): readonly RankedStats[] {
    const ranked = Array.from(this.#tallies, ([id, counts]) => {
      const { succeeded, failed } = attemptsOf(counts)
      const events = counts.get(EVENTS_COUNTER) ?? 0
      return { id, events, attempts: succeeded + failed, failed, deliveries: deliveriesOf(counts) }
    })
    return ranked
      .filter((one) => one[by] > 0)
      .sort((one, other) => other[by] - one[by] || one.id - other.id)
      .slice(0, limit)
  }
}
