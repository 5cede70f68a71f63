import type { VerbParams, VerbResult } from '../areas.ts'
import type { Replay } from '../rows.ts'
import type { DeliveryPosition } from '../storage.ts'
import { sameDay } from './layout.ts'
import { startRuns } from './manualSends.ts'
import { list, type Queries, write } from './query.ts'
import { columns, each, either, type Fragment, indexedBy, joinEach, sql, typed } from './sql.ts'
import { callDriver, row, rows, rowsOfEach, run, type Work } from './work.ts'

/** Dead deliveries looked at for one count: some 40 ms. */
const MAX_LOOKED = 25_000

/**
 * A webhook that is off is left out, since nothing may be pending for it, and one whose earlier deliveries are still
 * being canceled, since what is made pending now could be canceled with them.
 */
const REPLAYABLE = `
  w.workspace_id = $1 AND w.id >= $2 AND w.id <= $3 AND w.deleted_at IS NULL AND w.status <> 'off'
    AND w.canceled_through IS NULL`

const DEAD: Fragment = { sqlite: `d.status = 'dead'`, postgres: `d.ended_badly = 'dead'` }
const DEAD_WITHIN = sql`d.webhook_id = w.id AND ${DEAD} AND d.created_at >= $4 AND d.created_at < $5`

const PROGRESS = columns(
  'id workspaceId webhookId eventType max replayed atWebhookId atTime atDeliveryId createdAt',
)
const TYPE = sql`(SELECT type FROM events e WHERE e.id = d.event_id ${sameDay('e', 'd')})`
const FOUND = 'id, created_at, event_id'
const DEAD_OF = 'deliveries INDEXED BY deliveries_unhealthy WHERE webhook_id = x.webhook_id'

export const replaySql = {
  /** The workspace after the one whose turn was last; after the last one, the first. */
  turn: sql`
    SELECT coalesce(min(workspace_id) FILTER (WHERE workspace_id > $1), min(workspace_id)) AS "workspaceId"
    FROM replays ${indexedBy('replays_unfinished')} WHERE finished_at IS NULL AND workspace_id > 0`,
  oldest: sql`
    SELECT ${PROGRESS}, from_time AS "from", to_time AS "to" FROM replays ${indexedBy('replays_unfinished')}
    WHERE finished_at IS NULL AND workspace_id = $1 ORDER BY id LIMIT 1`,
  webhooks: sql`SELECT w.id FROM webhooks w WHERE ${REPLAYABLE} ORDER BY w.id LIMIT $4`,
  /** After a position, oldest first. In two parts on SQLite, for the reason that `deliveryWalk.ts` gives. */
  dead: each(
    { webhook_id: 'bigint', at_time: 'bigint', at_id: 'bigint' },
    sql`
      SELECT d.id, d.created_at AS "createdAt", ${TYPE} AS type FROM (${either({
        sqlite: `
          SELECT ${FOUND} FROM (
            SELECT ${FOUND} FROM ${DEAD_OF} AND status = 'dead' AND created_at = x.at_time AND id > x.at_id
              AND x.at_time < $3 ORDER BY id LIMIT $4)
          UNION ALL
          SELECT ${FOUND} FROM (
            SELECT ${FOUND} FROM ${DEAD_OF} AND status = 'dead' AND created_at > x.at_time AND created_at < $3
            ORDER BY created_at, id LIMIT $4)
          LIMIT $4`,
        postgres: `
          SELECT ${FOUND} FROM deliveries
          WHERE webhook_id = x.webhook_id AND ended_badly = 'dead' AND (created_at, id) > (x.at_time, x.at_id)
            AND created_at >= x.at_time AND created_at >= $5 AND created_at < $3
          ORDER BY created_at, id LIMIT $4`,
      })}) d`,
  ),
  save: sql`
    UPDATE replays SET replayed = $2, at_webhook_id = $3, at_time = $4, at_delivery_id = $5, finished_at = $6
    WHERE id = $1`,
  count: sql`
    SELECT count(*) AS looked,
      count(*) FILTER (WHERE finished_at <= $6 AND (${typed('$7', 'text')} IS NULL OR $7 = ${TYPE})) AS matching
    FROM (
      SELECT d.event_id, d.created_at, d.finished_at
      FROM webhooks w ${joinEach('deliveries', 'd', DEAD_WITHIN, 'deliveries_unhealthy')}
      WHERE ${REPLAYABLE} LIMIT $8) d`,
  create: sql`
    INSERT INTO replays (public_id, workspace_id, webhook_id, event_type, from_time, to_time, max, total, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
  unfinished: sql`
    SELECT count(*) AS count FROM replays ${indexedBy('replays_unfinished')}
    WHERE finished_at IS NULL AND workspace_id = $1`,
  get: sql`
    SELECT ${columns('id publicId eventType total replayed createdAt finishedAt', 'r')},
      r.from_time AS "from", r.to_time AS "to", w.public_id AS "webhookPublicId"
    FROM replays r LEFT JOIN webhooks w ON w.id = r.webhook_id
    WHERE r.public_id = $1 AND r.workspace_id = $2`,
}

type ProgressRow = Pick<Replay, 'id' | 'eventType' | 'from' | 'to' | 'replayed' | 'createdAt'> & {
  readonly workspaceId: number
  readonly webhookId: number | null
  readonly max: number
  readonly atWebhookId: number
  readonly atTime: number
  readonly atDeliveryId: number
}

export const replayQueries: Queries<'createReplay' | 'getReplay' | 'countReplayable' | 'stepReplays'> = {
  createReplay: write(function* (params) {
    const { publicId, workspaceId, webhookId, eventType, from, to, max, total, maxUnfinished, now } = params
    const { count } = (yield* row<{ readonly count: number }>(replaySql.unfinished, [workspaceId]))!
    if (count >= maxUnfinished) return null
    yield* run(replaySql.create, [publicId, workspaceId, webhookId, eventType, from, to, max, total, now])
    return (yield* find(params))!
  }),
  getReplay: list(find),
  countReplayable: list(replayableCounter()),
  stepReplays: write(stepReplays),
}

function* find({ publicId, workspaceId }: VerbParams<'getReplay'>): Work<Replay | null> {
  return (yield* row<Replay>(replaySql.get, [publicId, workspaceId])) ?? null
}

/** @returns a count that is cut short when there is too much to look at: there may be more then. */
export function replayableCounter(
  maxLooked: number = MAX_LOOKED,
): (params: VerbParams<'countReplayable'>) => Work<VerbResult<'countReplayable'>> {
  return function* ({ workspaceId, webhookId, eventType, from, to, max, now }) {
    const webhooks = [workspaceId, webhookId ?? 0, webhookId ?? Number.MAX_SAFE_INTEGER]
    // One more than is looked at tells whether there is more.
    const values = [from ?? 0, to ?? Number.MAX_SAFE_INTEGER, now, eventType, maxLooked + 1]
    const found = yield* row<{ readonly looked: number; readonly matching: number }>(replaySql.count, [
      ...webhooks,
      ...values,
    ])
    const { looked, matching } = found!
    return { count: Math.min(matching, max), more: matching > max || looked > maxLooked }
  }
}

/**
 * Continues replays, one after another within a workspace. Workspaces take turns, so that none waits for all replays of
 * another. A replay never returns to a delivery that it has looked at, so that one that dies again is left alone. A dead
 * delivery is leased to no node: a constraint of the database ensures that.
 */
export function* stepReplays({ now, limit }: VerbParams<'stepReplays'>): Work<number> {
  if (!(yield* callDriver('tryAlone', 'replays'))) return 0
  const memory = yield* callDriver('memory')
  const turn = yield* row<{ readonly workspaceId: number | null }>(replaySql.turn, [memory.replays])
  const workspaceId = turn!.workspaceId
  if (workspaceId === null) return 0
  memory.replays = workspaceId
  yield* callDriver('keepWebhooks', [workspaceId])
  return yield* step((yield* row<ProgressRow>(replaySql.oldest, [workspaceId]))!, limit, now)
}

/** @returns how many rows it looked at, of which each webhook and the end of the replay count as one */
function* step(replay: ProgressRow, limit: number, now: number): Work<number> {
  const progress = progressOf(replay, limit)
  const dead = progress.replayed < replay.max ? yield* readDead(replay, progress) : []
  const chosen = chooseOf(dead, replay, progress)
  if (chosen.length > 0) {
    const start = { trigger: 'replay', from: 'dead', finishedBy: replay.createdAt, now } as const
    // Fewer if one of them has just been sent again by other means.
    progress.replayed += (yield* startRuns(chosen, start)) - chosen.length
  }
  const passedAll = dead.length === 0 || progress.at.webhookId > dead.at(-1)!.webhookId
  const ends = progress.left > 0 && (passedAll || progress.replayed === replay.max)
  if (ends) progress.left--
  const { webhookId, time, deliveryId } = progress.at
  const values = [replay.id, progress.replayed, webhookId, time, deliveryId, ends ? now : null]
  yield* run(replaySql.save, values)
  return limit - progress.left
}

/** A webhook and its dead deliveries that come next. */
interface DeadOf {
  readonly webhookId: number
  readonly dead: readonly DeadRow[]
}

function* readDead(replay: ProgressRow, { at, left }: Progress): Work<readonly DeadOf[]> {
  const { workspaceId, webhookId: only, from, to } = replay
  const bounds = [Math.max(at.webhookId, only ?? 0), only ?? Number.MAX_SAFE_INTEGER]
  const webhooks = yield* rows<{ readonly id: number }>(replaySql.webhooks, [workspaceId, ...bounds, left])
  const positions = webhooks.map(({ id }) => (id === at.webhookId ? at : beginning(replay, id)))
  const asked = positions.map(({ webhookId, time, deliveryId }) => ({
    webhook_id: webhookId,
    at_time: time,
    at_id: deliveryId,
  }))
  const values = [to ?? Number.MAX_SAFE_INTEGER, left, from ?? 0]
  const found = yield* rowsOfEach<DeadRow>(replaySql.dead, asked, left, values)
  return webhooks.map(({ id }, index) => ({ webhookId: id, dead: found[index]! }))
}

/** Goes over webhooks and their dead deliveries as far as the step may look. @returns those to replay */
function chooseOf(found: readonly DeadOf[], replay: ProgressRow, progress: Progress): DeadRow[] {
  const chosen: DeadRow[] = []
  for (const { webhookId, dead } of found) {
    if (progress.left === 0) break
    if (webhookId !== progress.at.webhookId) progress.at = beginning(replay, webhookId)
    chosen.push(...chooseNext(replay, progress, dead.slice(0, progress.left)))
    if (progress.left === 0 || progress.replayed === replay.max) break
    progress.at = beginning(replay, webhookId + 1)
    progress.left--
  }
  return chosen
}

/** A dead delivery. */
interface DeadRow extends DeliveryPosition {
  readonly type: string
}

/** The last delivery that was looked at; at the beginning of a webhook, a position before its first. */
interface ReplayPosition {
  readonly webhookId: number
  readonly time: number
  readonly deliveryId: number
}

/** How far a step of a replay has come. */
interface Progress {
  at: ReplayPosition
  replayed: number
  /** Rows that may still be looked at. */
  left: number
}

function progressOf(replay: ProgressRow, limit: number): Progress {
  const { atWebhookId: webhookId, atTime: time, atDeliveryId: deliveryId, replayed } = replay
  return { at: { webhookId, time, deliveryId }, replayed, left: limit }
}

function beginning({ from }: ProgressRow, webhookId: number): ReplayPosition {
  return { webhookId, time: from ?? 0, deliveryId: 0 }
}

/**
 * Looks at the next dead deliveries until the replay has as many as it may replay. Those that died after it was created are among
 * them: the statement that starts runs leaves them alone.
 * @returns those to replay, which count as replayed
 */
function chooseNext(replay: ProgressRow, progress: Progress, rows: readonly DeadRow[]): DeadRow[] {
  const chosen: DeadRow[] = []
  for (const row of rows) {
    if (progress.replayed === replay.max) break
    progress.at = { webhookId: progress.at.webhookId, time: row.createdAt, deliveryId: row.id }
    progress.left--
    if (replay.eventType !== null && replay.eventType !== row.type) continue
    chosen.push(row)
    progress.replayed++
  }
  return chosen
}
