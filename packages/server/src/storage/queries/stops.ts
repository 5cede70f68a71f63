import type { VerbParams, VerbResult } from '../areas.ts'
import type { EventPosition, MissedEvents } from '../storage.ts'
import { list, type Queries } from './query.ts'
import { columns, either, sql } from './sql.ts'
import { all, rows, type Work } from './work.ts'

/** Events that one call looks at: some 15 ms. */
const MAX_LOOKED = 10_000
/** Stops of a webhook or workspace that are looked at, the newest. */
const MAX_STOPS = 100

const STOP = columns('status beganAt endedAt beganAfter endedAfter')
const WITHIN = '(ended_at IS NULL OR ended_at >= $2) AND began_at < $3 ORDER BY id DESC LIMIT $4'

export const stopSql = {
  ofWebhook: sql`SELECT ${STOP} FROM stops WHERE webhook_id = $1 AND ${WITHIN}`,
  ofWorkspace: sql`SELECT ${STOP} FROM stops WHERE workspace_id = $1 AND webhook_id IS NULL AND ${WITHIN}`,
  missed: either({
    sqlite: `
      SELECT type, created_at AS "createdAt", seq AS major, NULL AS minor FROM events INDEXED BY events_feed
      WHERE workspace_id = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4`,
    postgres: `
      SELECT type, created_at AS "createdAt", xact AS major, id AS minor FROM events
      WHERE workspace_id = $1 AND xact > $2 AND xact <= $3 ORDER BY xact, id LIMIT $4`,
  }),
}

/** A time in which nothing was published to a webhook, and what it missed, by places in the feed. */
interface StopRow {
  readonly status: 'paused' | 'off' | 'suspended'
  readonly beganAt: number
  readonly endedAt: number | null
  readonly beganAfter: number
  readonly endedAfter: number | null
}

interface MissedRow {
  readonly type: string
  readonly createdAt: number
  readonly major: number
  readonly minor: number | null
}

export const stopQueries: Queries<'countMissed' | 'lastStop'> = {
  countMissed: list(countMissed),
  lastStop: list(function* ({ webhookId }) {
    const values = [webhookId, 0, Number.MAX_SAFE_INTEGER, 1]
    const [last] = yield* rows<StopRow>(stopSql.ofWebhook, values)
    if (last === undefined) return null
    const { status, beganAt, endedAt } = last
    return { status: status as 'paused' | 'off', beganAt, endedAt }
  }),
}

function* countMissed(params: VerbParams<'countMissed'>): Work<VerbResult<'countMissed'>> {
  const { workspaceId, webhookId, from, to } = params
  const bounds = [from ?? 0, to ?? Number.MAX_SAFE_INTEGER, MAX_STOPS]
  const [own, others] = yield* all(
    rows<StopRow>(stopSql.ofWebhook, [webhookId, ...bounds]),
    rows<StopRow>(stopSql.ofWorkspace, [workspaceId, ...bounds]),
  )
  const count = new MissedCount(params)
  let left = MAX_LOOKED
  for (const { after, through } of joined([...own, ...others])) {
    if (left === 0) break
    const missed = yield* rows<MissedRow>(stopSql.missed, [workspaceId, after, through, left])
    left -= missed.length
    for (const row of missed) count.add(row)
  }
  return { ...count.result, more: left === 0 }
}

/** @returns stops as spans of the feed, in its order, those that overlap as one */
function joined(stops: readonly StopRow[]): readonly { readonly after: number; readonly through: number }[] {
  const spans = stops
    .map(({ beganAfter, endedAfter }) => ({
      after: beganAfter,
      through: endedAfter ?? Number.MAX_SAFE_INTEGER,
    }))
    .sort((one, other) => one.after - other.after)
  const found: { after: number; through: number }[] = []
  for (const span of spans) {
    const last = found.at(-1)
    if (last === undefined || last.through < span.after) found.push(span)
    else last.through = Math.max(last.through, span.through)
  }
  return found
}

class MissedCount {
  readonly #params: VerbParams<'countMissed'>
  readonly #types = new Map<string, number>()
  #count = 0
  #before: EventPosition | null = null

  constructor(params: VerbParams<'countMissed'>) {
    this.#params = params
  }

  add({ type, createdAt, major, minor }: MissedRow): void {
    const { eventTypes, from, to } = this.#params
    if (eventTypes.length > 0 && !eventTypes.includes(type)) return
    if (createdAt < (from ?? 0) || createdAt >= (to ?? Number.MAX_SAFE_INTEGER)) return
    this.#count++
    this.#types.set(type, (this.#types.get(type) ?? 0) + 1)
    this.#before ??= minor === null ? [major - 1] : [major, minor - 1]
  }

  get result(): Omit<MissedEvents, 'more'> {
    const types = Array.from(this.#types, ([type, count]) => ({ type, count }))
    return {
      count: this.#count,
      types: types.sort((one, other) => other.count - one.count),
      before: this.#before,
    }
  }
}
