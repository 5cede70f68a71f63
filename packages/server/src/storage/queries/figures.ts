import { addToBucket, eachLine, readLine } from '../../core/figures/bucketText.ts'
import { counterOf, EVENTS_COUNTER, OUTCOMES } from '../../core/figures/counters.ts'
import { deliveriesOf, summaryOf } from '../../core/figures/summary.ts'
import { addTally, type ReadonlyTally, readCounts, type Tally } from '../../core/figures/tally.ts'
import { startsOf, UNIT_MS } from '../../core/figures/units.ts'
import { groupBy } from '../../core/groupBy.ts'
import type { VerbParams, VerbResult } from '../areas.ts'
import type { Figure, RankedFigure } from '../storage.ts'
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
} from './figureRollup.ts'
import { listInTransaction, type Queries, write } from './query.ts'
import { isOneOf, joinEach, numberList, records, sql, tableOf } from './sql.ts'
import { all, callDriver, row, rows, run, type Work } from './work.ts'

/** Buckets of each span that one call of a ranking reads. */
const BUCKETS_RANKED = 16
const KEY = { unit: 'text', scope: 'text', at: 'bigint', bucket: 'bigint' } as const

export const figureSql = {
  step: sql`
    SELECT id, at, scope, data FROM (
      SELECT id, at, scope, data, sum(length(data)) OVER (ORDER BY id) - length(data) AS before
      FROM (SELECT * FROM figures_deltas WHERE id > 0 ORDER BY id LIMIT ${String(ROLLUP_STEP.rows)}) oldest) counted
    WHERE before < ${String(ROLLUP_STEP.bytes)}`,
  pendingCounts: sql`
    SELECT id, at, scope, data FROM figures_deltas WHERE id > 0 ORDER BY id LIMIT ${String(PENDING_READ)}`,
  workspacesOf: sql`
    SELECT w.id, w.workspace_id FROM ${tableOf('x', '$1', { id: 'bigint' })}
    ${joinEach('webhooks', 'w', 'w.id = x.id')}`,
  found: sql`
    SELECT f.unit, f.scope, f.at, f.sheet AS bucket, f.data FROM ${tableOf('k', '$1', KEY)}
    ${joinEach('figures', 'f', 'f.unit = k.unit AND f.scope = k.scope AND f.at = k.at AND f.sheet = k.bucket')}`,
  write: sql`
    INSERT INTO figures (unit, scope, at, sheet, data)
    SELECT unit, scope, at, bucket, data FROM ${tableOf('k', '$1', { ...KEY, data: 'text' })} WHERE true
    ON CONFLICT (unit, scope, at, sheet) DO UPDATE SET data = excluded.data`,
  remove: sql`DELETE FROM figures_deltas WHERE id ${isOneOf('$1', 'bigint')}`,
  buckets: sql`
    SELECT f.at, f.sheet AS bucket, f.data
    FROM ${tableOf('a', '$3', { at: 'bigint' })} CROSS JOIN ${tableOf('b', '$4', { bucket: 'bigint' })}
    ${joinEach('figures', 'f', 'f.unit = $1 AND f.scope = $2 AND f.at = a.at AND f.sheet = b.bucket')}`,
  ranked: sql`
    SELECT f.data FROM ${tableOf('a', '$3', { at: 'bigint' })}
    ${joinEach('figures', 'f', 'f.unit = $1 AND f.scope = $2 AND f.at = a.at AND f.sheet >= $4 AND f.sheet < $5')}`,
}

/** Ids have gaps, of a billion where a backup was put back. */
export const nextIdSql = {
  webhook: sql`SELECT min(id) AS id FROM webhooks WHERE id >= $1`,
  workspace: sql`SELECT min(id) AS id FROM workspaces WHERE id >= $1`,
}

export const figureQueries: Queries<'rollUpFigures' | 'readFigures' | 'webhookHours' | 'rankFigures'> = {
  rollUpFigures: write(function* ({ now }) {
    if (!(yield* callDriver('tryAlone', 'figures'))) return false
    const pendingCounts = yield* rows<PendingCountsRow>(figureSql.step)
    if (pendingCounts.length === 0) return false
    const rollup = rollupOf(pendingCounts)
    yield* addToBuckets(rollup.changes(yield* workspacesOf(rollup), now))
    yield* run(figureSql.remove, [numberList(pendingCounts.map(({ id }) => id))])
    return isCutShort(pendingCounts)
  }),
  readFigures: listInTransaction(read),
  webhookHours: listInTransaction(function* ({ webhookIds: ids, from, to }) {
    const figures = yield* read({ scope: 'webhook', ids, unit: 'hour', stepMs: UNIT_MS.hour, from, to })
    const hoursOf = groupBy(figures, ({ id }) => id)
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
  rankFigures: listInTransaction(function* ({ scope, by, cover, from, limit }) {
    const ranks = new FigureRanks()
    const to = from + BUCKETS_RANKED
    const [next, parts] = yield* all(
      row<{ readonly id: number | null }>(nextIdSql[scope], [firstIdOf(to)]),
      all(
        ...cover.map(({ unit, starts }) =>
          rows<{ readonly data: string }>(figureSql.ranked, [
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

function* read(reading: VerbParams<'readFigures'>): Work<VerbResult<'readFigures'>> {
  const { scope, unit, from, to } = reading
  const sums = new FigureSums(reading)
  const starts = records(startsOf(from, to, unit).map((at) => ({ at })))
  const [buckets, pendingCounts] = yield* all(
    rows<BucketRow>(figureSql.buckets, [
      unit,
      scope,
      starts,
      records(sums.buckets.map((bucket) => ({ bucket }))),
    ]),
    rows<PendingCountsRow>(figureSql.pendingCounts),
  )
  for (const bucket of buckets) sums.addBucket(bucket)
  const rollup = rollupOf(pendingCounts)
  sums.addRollup(rollup, yield* workspacesOf(rollup))
  return sums.figures
}

interface Owner {
  readonly id: number
  readonly workspace_id: number
}

function* workspacesOf({ webhookIds }: Rollup): Work<Map<number, number>> {
  if (webhookIds.size === 0) return new Map()
  const owners = yield* rows<Owner>(figureSql.workspacesOf, [records([...webhookIds].map((id) => ({ id })))])
  return new Map(owners.map((owner) => [owner.id, owner.workspace_id]))
}

/** Locks the buckets against other writers. */
function* addToBuckets(changes: readonly BucketChange[]): Work<void> {
  const keys = changes.map(({ unit, scope, at, bucket }) => ({ unit, scope, at, bucket }))
  const known = yield* rows<BucketKey & { readonly data: string }>(figureSql.found, [records(keys)])
  const found = new Map(known.map((bucket) => [nameOf(bucket), bucket.data]))
  const buckets = changes.map(({ counts }, position) => {
    const key = keys[position]!
    return { ...key, data: addToBucket(found.get(nameOf(key)) ?? '', counts) }
  })
  yield* run(figureSql.write, [records(buckets)])
}

const nameOf = ({ unit, scope, at, bucket }: BucketKey): string => `${unit} ${scope} ${at} ${bucket}`

type Reading = VerbParams<'readFigures'>
type Ranking = VerbParams<'rankFigures'>

interface BucketRow {
  readonly at: number
  readonly bucket: number
  readonly data: string
}

/** Sums up what a reading asks for. */
class FigureSums {
  readonly #reading: Reading
  readonly #idsOfBucket = new Map<number, number[]>()
  readonly #figures = new Map<string, { readonly id: number; readonly at: number; readonly counts: Tally }>()

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
  get figures(): readonly Figure[] {
    return [...this.#figures.values()].sort((one, other) => one.id - other.id || one.at - other.at)
  }

  #add(id: number, time: number, counts: ReadonlyTally): void {
    if (counts.size === 0) return
    const { from, stepMs } = this.#reading
    const at = from + Math.floor((time - from) / stepMs) * stepMs
    const name = `${id} ${at}`
    const figure = this.#figures.get(name)
    if (figure === undefined) this.#figures.set(name, { id, at, counts: new Map(counts) })
    else addTally(figure.counts, counts)
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
class FigureRanks {
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

  first({ by, limit }: Pick<Ranking, 'by' | 'limit'>): readonly RankedFigure[] {
    const ranked = Array.from(this.#tallies, ([id, counts]) => {
      const { succeeded, failed } = attemptsOf(counts)
      const events = counts.get(EVENTS_COUNTER) ?? 0
      return { id, events, attempts: succeeded + failed, failed, deliveries: deliveriesOf(counts) }
    })
    return ranked
      .filter((figure) => figure[by] > 0)
      .sort((one, other) => other[by] - one[by] || one.id - other.id)
      .slice(0, limit)
  }
}
