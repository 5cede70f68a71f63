import type { StatusCodes } from '../../core/statusCodes.ts'
import type { CallParams, CallResult } from '../callGroups.ts'
import type { AttemptToRecord, DeliveryPosition } from '../storage.ts'
import { inDayOf, POSITIONS, positionValues } from './layout.ts'
import { either, FOR_UPDATE_SKIP_LOCKED, isOneOf, joinEach, numberList, records, sql } from './sql.ts'
import { all, callDriver, row, rows, run, type Work } from './work.ts'

/** Under which deliveries stand that got no response. */
const NO_RESPONSE = 0

const searchCodesSql = {
  note: sql`INSERT INTO search_outcomes (at, deliveries) VALUES ($1, $2)`,
  since: sql`SELECT codes_since AS since FROM store`,
  peek: sql`SELECT at, deliveries FROM search_outcomes ORDER BY id LIMIT $1`,
  ofWorkspace: sql`
    SELECT d.id, d.created_at AS "createdAt"
    FROM ${POSITIONS} ${joinEach('deliveries', 'd', sql`d.id = x.id ${inDayOf('d')}`)}
    JOIN webhooks w ON w.id = d.webhook_id
    WHERE w.workspace_id = $4 AND w.deleted_at IS NULL AND w.id >= $5 AND w.id <= $6`,
  noted: sql`SELECT id, deliveries FROM search_outcomes ORDER BY id LIMIT $1 ${FOR_UPDATE_SKIP_LOCKED}`,
  forget: sql`DELETE FROM search_outcomes WHERE id ${isOneOf('$1', 'bigint')}`,
  /** All codes that attempts of these deliveries got, and which was the last. */
  codes: sql`
    SELECT d.id, d.created_at AS "createdAt", d.webhook_id AS "webhookId", a.status_code AS code,
      CASE WHEN a.number = d.attempts THEN 1 ELSE 0 END AS latest
    FROM ${POSITIONS} ${joinEach('deliveries', 'd', sql`d.id = x.id ${inDayOf('d')}`)}
    ${joinEach('attempts', 'a', sql`a.delivery_id = d.id AND a.number > d.attempts - 10 ${inDayOf('a')}`)}`,
  remove: either({
    sqlite: `
      DELETE FROM search_codes WHERE (webhook_id, code, created_at, delivery_id) IN (
        SELECT value ->> 'webhook', value ->> 'code', value ->> 'at', value ->> 'id' FROM json_each($1))`,
    postgres: `
      DELETE FROM search_codes s USING json_to_recordset($1::json) AS x (webhook bigint, code int, at bigint, id bigint)
      WHERE s.webhook_id = x.webhook AND s.code = x.code AND s.created_at = x.at AND s.delivery_id = x.id`,
  }),
  add: either({
    sqlite: `
      INSERT INTO search_codes (webhook_id, code, created_at, delivery_id)
      SELECT value ->> 'webhook', value ->> 'code', value ->> 'at', value ->> 'id' FROM json_each($1) WHERE true
      ON CONFLICT DO NOTHING`,
    postgres: `
      INSERT INTO search_codes (webhook_id, code, created_at, delivery_id)
      SELECT webhook, code, at, id FROM json_to_recordset($1::json) AS x (webhook bigint, code int, at bigint, id bigint)
      ON CONFLICT DO NOTHING`,
  }),
}

/** Notes results for the index in the commit that records them, except deliveries that succeeded at the first attempt. */
export function* noteOutcomes(recorded: readonly AttemptToRecord[], now: number): Work<void> {
  const noted = recorded.filter(
    ({ attempt, next }) =>
      next.status !== 'delivered' || attempt.number > 1 || attempt.trigger !== 'schedule',
  )
  if (noted.length === 0) return
  const deliveries = noted.map(({ deliveryId, createdAt }) => [deliveryId, createdAt])
  yield* run(searchCodesSql.note, [now, JSON.stringify(deliveries)])
}

interface CodeRow {
  readonly id: number
  readonly createdAt: number
  readonly webhookId: number
  readonly code: number | null
  readonly latest: 0 | 1
}

/** Moves deliveries whose latest attempt was noted to the code that it got. */
export function* indexCodes({ limit }: CallParams<'indexCodes'>): Work<CallResult<'indexCodes'>> {
  if (!(yield* callDriver('tryAlone', 'search'))) return { indexed: 0, more: false }
  const noted = yield* rows<{ readonly id: number; readonly deliveries: string }>(searchCodesSql.noted, [
    limit,
  ])
  if (noted.length === 0) return { indexed: 0, more: false }
  const deliveries = new Map<number, DeliveryPosition>()
  const read: number[] = []
  for (const { id, deliveries: text } of noted) {
    if (deliveries.size >= limit) break
    read.push(id)
    for (const [delivery, createdAt] of JSON.parse(text) as [number, number][])
      deliveries.set(delivery, { id: delivery, createdAt })
  }
  const found = yield* rows<CodeRow>(searchCodesSql.codes, positionValues([...deliveries.values()]))
  const latest = found.filter((one) => one.latest === 1)
  const now = new Set(latest.flatMap((one) => entriesOf(one)).map((entry) => JSON.stringify(entry)))
  const former = found.flatMap((one) => entriesOf(one)).filter((entry) => !now.has(JSON.stringify(entry)))
  yield* all(
    run(searchCodesSql.remove, [records(former)]),
    run(searchCodesSql.add, [records(latest.flatMap((one) => entriesOf(one)))]),
    run(searchCodesSql.forget, [numberList(read)]),
  )
  return { indexed: deliveries.size, more: read.length < noted.length || noted.length === limit }
}

/** A delivery is listed under its code and under the class of the code. */
function entriesOf({ id, createdAt: at, webhookId: webhook, code }: CodeRow) {
  const codes = code === null ? [NO_RESPONSE] : [code, Math.floor(code / 100)]
  return codes.map((one) => ({ webhook, code: one, at, id }))
}

/** The number that these codes stand under. */
export function codeOf(codes: StatusCodes): number {
  if (codes === 'none') return NO_RESPONSE
  return codes.from === codes.to ? codes.from : Math.floor(codes.from / 100)
}

/** Rows of outcomes that a search looks at. */
const MOST_ROWS = 200

/**
 * Deliveries of a workspace whose latest attempt is not indexed by its code yet, in no order.
 * @param most to look at, of whatever workspace
 */
export function* outcomesToIndex(
  workspaceId: number,
  webhookId: number | null,
  most: number,
): Work<{ readonly deliveries: readonly DeliveryPosition[]; readonly reachesUntil: number | null }> {
  const noted = yield* rows<{ readonly at: number; readonly deliveries: string }>(searchCodesSql.peek, [
    MOST_ROWS + 1,
  ])
  const looked = new Map<number, DeliveryPosition>()
  let reachesUntil: number | null = null
  for (const [row, { at, deliveries }] of noted.entries()) {
    if (row === MOST_ROWS || looked.size >= most) {
      reachesUntil = at
      break
    }
    for (const [id, createdAt] of JSON.parse(deliveries) as [number, number][])
      looked.set(id, { id, createdAt })
  }
  if (looked.size === 0) return { deliveries: [], reachesUntil }
  const among = [workspaceId, webhookId ?? 0, webhookId ?? Number.MAX_SAFE_INTEGER]
  const values = [...positionValues([...looked.values()]), ...among]
  return { deliveries: yield* rows<DeliveryPosition>(searchCodesSql.ofWorkspace, values), reachesUntil }
}

/** @returns deliveries that were made from then on stand under their codes */
export function* codesReach(): Work<{ readonly since: number }> {
  return (yield* row<{ readonly since: number }>(searchCodesSql.since))!
}
