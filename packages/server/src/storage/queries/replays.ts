import { missedTypes } from '../../core/missedTypes.ts'
import type { CallParams, CallResult } from '../callGroups.ts'
import type { Replay, ReplayedStatus } from '../rows.ts'
import type { CreateReplayResult, ReplayFilter, ReplayPosition } from '../storage.ts'
import { sameDay, WAITING } from './layout.ts'
import { addDeliveries, countSend, keepApart, refusalFor, startRuns } from './manualSends.ts'
import { list, type Queries, write } from './query.ts'
import { GOES_ON } from './replayCounts.ts'
import { beginning, byAge, type EndedOf, type EndedRow, Walk } from './replayWalk.ts'
import type { Boolish } from './rowMappers.ts'
import { columns, each, either, FOR_UPDATE, type Fragment, indexedBy, sql, typed } from './sql.ts'
import { type FeedPlace, nextMissed } from './stops.ts'
import { callDriver, row, rows, rowsOfEach, run, type Work } from './work.ts'

/** Deliveries and webhooks that one call looks at to count: some 20 ms. */
const MAX_LOOKED = 10_000
/** Workspaces whose turn one step looks at, where the replays of the first must wait. */
const MAX_WORKSPACES = 20
/** Unfinished replays of a workspace that one step looks at; there may be fewer. */
const MAX_UNFINISHED = 100
/** A recovery waits while this many deliveries of its webhook are due. */
const MAX_DUE = 2_000

/**
 * Skips webhooks that are off, since nothing may be pending for them, and webhooks whose earlier deliveries are still being
 * canceled, since new pending deliveries could be canceled with them.
 */
const REPLAYABLE = `
  w.workspace_id = $1 AND w.id >= $2 AND w.id <= $3 AND w.deleted_at IS NULL AND w.status <> 'off'
    AND w.canceled_through IS NULL`

const PROGRESS = columns(
  'id workspaceId webhookId trigger statuses eventTypes missed max replayed atWebhookId atTime atDeliveryId atMajor atMinor createdAt',
)
const TYPE = sql`(SELECT type FROM events e WHERE e.id = d.event_id ${sameDay('e', 'd')})`
const FOUND = 'id, created_at, event_id, trigger, finished_at'

/**
 * Deliveries of one status after a position, oldest first. In two parts on SQLite, and with the status in the text, for the reasons
 * that `deliveryWalk.ts` gives.
 */
const ended = (status: ReplayedStatus) => {
  const of = `deliveries INDEXED BY deliveries_unhealthy WHERE webhook_id = x.webhook_id AND status = '${status}'`
  return each(
    { webhook_id: 'bigint', at_time: 'bigint', at_id: 'bigint' },
    sql`
      SELECT ${columns('id createdAt trigger finishedAt', 'd')}, ${TYPE} AS type FROM (${either({
        sqlite: `
          SELECT ${FOUND} FROM (
            SELECT ${FOUND} FROM ${of} AND created_at = x.at_time AND id > x.at_id AND x.at_time < $3
            ORDER BY id LIMIT $4)
          UNION ALL
          SELECT ${FOUND} FROM (
            SELECT ${FOUND} FROM ${of} AND created_at > x.at_time AND created_at < $3
            ORDER BY created_at, id LIMIT $4)
          LIMIT $4`,
        postgres: `
          SELECT ${FOUND} FROM deliveries
          WHERE webhook_id = x.webhook_id AND ended_badly = '${status}' AND (created_at, id) > (x.at_time, x.at_id)
            AND created_at >= x.at_time AND created_at >= $5 AND created_at < $3
          ORDER BY created_at, id LIMIT $4`,
      })}) d`,
  )
}

/** PostgreSQL's planner might go over all of a workspace. */
const BY_PUBLIC_ID: Fragment = {
  sqlite: 'replays',
  postgres: '(SELECT * FROM replays WHERE public_id = $1 OFFSET 0)',
}

/** Few at any time. */
const BEING_CANCELED: Fragment = {
  sqlite: '(SELECT * FROM webhooks INDEXED BY webhooks_canceling WHERE canceled_through IS NOT NULL)',
  postgres: '(SELECT * FROM webhooks WHERE canceled_through IS NOT NULL ORDER BY canceled_at OFFSET 0)',
}

export const replaySql = {
  /** The workspace after the one whose turn was last; after the last one, the first. */
  turn: sql`
    SELECT coalesce(min(workspace_id) FILTER (WHERE workspace_id > $1), min(workspace_id)) AS "workspaceId"
    FROM replays ${indexedBy('replays_unfinished')} WHERE finished_at IS NULL AND workspace_id > 0`,
  unfinished: sql`
    SELECT ${PROGRESS}, from_time AS "from", to_time AS "to" FROM replays ${indexedBy('replays_unfinished')}
    WHERE finished_at IS NULL AND workspace_id = $1 ORDER BY id LIMIT $2`,
  /** Locks it, so that it cannot be canceled before the transaction ends. */
  hold: sql`
    SELECT id FROM replays ${indexedBy('replays_unfinished')}
    WHERE finished_at IS NULL AND workspace_id = $1 AND id = $2 ${FOR_UPDATE}`,
  /** Whether webhooks that it has yet to look at have deliveries that are still being canceled. */
  canceling: sql`
    SELECT 1 AS yes FROM ${BEING_CANCELED} w
    WHERE workspace_id = $1 AND id >= $2 AND id <= $3 AND status <> 'off' AND deleted_at IS NULL LIMIT 1`,
  /** Due deliveries of a webhook that wait, counted up to a bound. */
  dueOf: sql`
    SELECT count(*) AS count FROM (
      SELECT 1 FROM ${WAITING} d WHERE webhook_id = $1 AND due_at <= $2 LIMIT $3) d`,
  webhooks: sql`SELECT w.id FROM webhooks w WHERE ${REPLAYABLE} ORDER BY w.id LIMIT $4`,
  failed: ended('failed'),
  dead: ended('dead'),
  canceled: ended('canceled'),
  /** The deliveries that were made pending last may have ended already. */
  save: sql`
    UPDATE replays SET replayed = $2, at_webhook_id = $3, at_time = $4, at_delivery_id = $5, finished_at = $6,
      at_major = $7, at_minor = $8,
      total = CASE WHEN trigger = 'recover' AND ${typed('$6', 'bigint')} IS NOT NULL THEN $2 ELSE total END,
      done_at = CASE WHEN delivered + failed >= $2 THEN ${typed('$6', 'bigint')} END
    WHERE id = $1 AND finished_at IS NULL`,
  create: sql`
    INSERT INTO replays (public_id, workspace_id, webhook_id, trigger, statuses, event_types, from_time, to_time, max,
      total, created_at, missed)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
  typesOf: sql`SELECT event_types AS types FROM webhooks WHERE id = $1`,
  unfinishedCount: sql`
    SELECT count(*) AS count FROM replays ${indexedBy('replays_unfinished')}
    WHERE finished_at IS NULL AND workspace_id = $1`,
  get: sql`
    SELECT ${columns('id publicId trigger webhookId statuses eventTypes total replayed delivered failed createdAt finishedAt doneAt canceledAt', 'r')},
      r.from_time AS "from", r.to_time AS "to", w.public_id AS "webhookPublicId"
    FROM ${BY_PUBLIC_ID} r LEFT JOIN webhooks w ON w.id = r.webhook_id
    WHERE r.public_id = $1 AND r.workspace_id = $2`,
  latestRecovery: sql`
    SELECT public_id AS "publicId" FROM replays ${indexedBy('recoveries_of_webhook')}
    WHERE webhook_id = $1 AND trigger = 'recover' ORDER BY id DESC LIMIT 1`,
  cancel: sql`
    UPDATE replays SET canceled_at = $3, finished_at = coalesce(finished_at, $3)
    WHERE public_id = $1 AND workspace_id = $2 AND ${GOES_ON}`,
}

/** A bulk replay as its row has it: lists are JSON. */
type Stored<Row extends Pick<Replay, 'statuses' | 'eventTypes'>> = Omit<Row, 'statuses' | 'eventTypes'> & {
  readonly statuses: string
  readonly eventTypes: string
}

const listsOf = <Row extends Pick<Replay, 'statuses' | 'eventTypes'>>(row: Stored<Row>): Row =>
  ({ ...row, statuses: JSON.parse(row.statuses), eventTypes: JSON.parse(row.eventTypes) }) as unknown as Row

interface Progressing extends ReplayFilter, Pick<Replay, 'id' | 'trigger' | 'replayed' | 'createdAt'> {
  readonly max: number
  readonly atWebhookId: number
  readonly atTime: number
  readonly atDeliveryId: number
  /** Whether events that the webhook missed are sent as well, after the others. */
  readonly missed: Boolish
  readonly atMajor: number
  readonly atMinor: number
}

export const replayQueries: Queries<
  'createReplay' | 'cancelReplay' | 'getReplay' | 'latestRecovery' | 'countReplayable' | 'stepReplays'
> = {
  createReplay: write(createReplay),
  cancelReplay: write(function* (params) {
    const canceled = yield* run(replaySql.cancel, [params.publicId, params.workspaceId, params.now])
    const replay = yield* find(params)
    return replay === null ? null : { replay, changed: canceled > 0 }
  }),
  getReplay: list(find),
  latestRecovery: list(function* ({ webhookId }) {
    const latest = yield* row<{ readonly publicId: string }>(replaySql.latestRecovery, [webhookId])
    return latest?.publicId ?? null
  }),
  countReplayable: list(countReplayable),
  stepReplays: write(stepReplays),
}

function* createReplay(params: CallParams<'createReplay'>): Work<CreateReplayResult> {
  const { publicId, workspaceId, webhookId, trigger, statuses, eventTypes, from, to, max, total } = params
  const { maxUnfinished, limit, missed = false, now } = params
  yield* keepApart(workspaceId, limit)
  const refusal = trigger === 'recover' ? yield* refusalFor(webhookId!, workspaceId) : null
  if (refusal !== null) return refusal
  const { count } = (yield* row<{ readonly count: number }>(replaySql.unfinishedCount, [workspaceId]))!
  if (count >= maxUnfinished) return { outcome: 'full' }
  const counted = yield* countSend(workspaceId, limit, now)
  if (counted.outcome !== 'allowed') return counted
  const filter = [webhookId, trigger, JSON.stringify(statuses), JSON.stringify(eventTypes), from, to]
  yield* run(replaySql.create, [publicId, workspaceId, ...filter, max, total, now, missed])
  return { outcome: 'created', replay: (yield* find(params))!, limit: counted.limit }
}

function* find({ publicId, workspaceId }: CallParams<'getReplay'>): Work<Replay | null> {
  const found = yield* row<Stored<Replay>>(replaySql.get, [publicId, workspaceId])
  return found === undefined ? null : listsOf(found)
}

/** Counts one part of what matches: {@link MAX_LOOKED} deliveries and webhooks. */
function* countReplayable(params: CallParams<'countReplayable'>): Work<CallResult<'countReplayable'>> {
  const { now, after, limit = MAX_LOOKED } = params
  const at = after ?? beginning(params, params.webhookId ?? 0)
  const walk = new Walk(params, at, limit)
  walk.go(yield* readEnded(params, at, limit))
  const count = walk.passed.filter(({ finishedAt }) => finishedAt <= now).length
  return { count, next: walk.atEnd ? null : walk.at }
}

/**
 * Continues bulk replays, one after another within a workspace. Workspaces take turns, so that none waits for all replays of
 * another. A replay never returns to a delivery that it has passed, so one that ends without success again is not repeated.
 * Deliveries that it starts over are leased to no node: a constraint of the database ensures that.
 */
export function* stepReplays({ now, limit }: CallParams<'stepReplays'>): Work<CallResult<'stepReplays'>> {
  const nothing = { looked: 0, started: 0, waits: false }
  if (!(yield* callDriver('tryAlone', 'replays'))) return nothing
  const memory = yield* callDriver('memory')
  const tried = new Set<number>()
  while (tried.size < MAX_WORKSPACES) {
    const turn = yield* row<{ readonly workspaceId: number | null }>(replaySql.turn, [memory.replays])
    const workspaceId = turn!.workspaceId
    if (workspaceId === null || tried.has(workspaceId)) break
    tried.add(workspaceId)
    memory.replays = workspaceId
    const found = yield* rows<Stored<Progressing>>(replaySql.unfinished, [workspaceId, MAX_UNFINISHED])
    for (const stored of found) {
      const replay = listsOf(stored)
      const room = yield* roomFor(replay, limit, now)
      if (room === 0) continue
      yield* callDriver('keepWebhooks', [workspaceId])
      if ((yield* rows(replaySql.hold, [workspaceId, replay.id])).length === 0) continue
      return { ...(yield* step(replay, room, now)), waits: false }
    }
  }
  return { ...nothing, waits: tried.size > 0 }
}

/**
 * How many rows a step may look at; 0: it waits. Deliveries that are being canceled can be started over only afterwards, and a
 * recovery does not fill the store with more than its receiver can take.
 */
function* roomFor(replay: Progressing, limit: number, now: number): Work<number> {
  const { trigger, workspaceId, webhookId: only, atWebhookId } = replay
  const canceling = [workspaceId, Math.max(atWebhookId, only ?? 0), only ?? Number.MAX_SAFE_INTEGER]
  if ((yield* row(replaySql.canceling, canceling)) !== undefined) return 0
  if (trigger !== 'recover') return limit
  const { count } = (yield* row<{ readonly count: number }>(replaySql.dueOf, [only, now, MAX_DUE]))!
  const room = MAX_DUE - count
  // The end of the walk takes one row, so with only one more nothing would ever be started.
  return room < 2 ? 0 : Math.min(limit, room)
}

/**
 * @returns how many rows it looked at, where each webhook and the end of the replay count as one, and how many deliveries it
 *   made due
 */
function* step(
  replay: Progressing,
  limit: number,
  now: number,
): Work<{ readonly looked: number; readonly started: number }> {
  const { atWebhookId: webhookId, atTime: time, atDeliveryId: deliveryId, createdAt, id, trigger } = replay
  const at = { webhookId, time, deliveryId }
  const walk = new Walk(replay, at, limit, replay.max - replay.replayed)
  if (replay.replayed < replay.max) walk.go(yield* readEnded(replay, at, limit))
  else walk.end()
  let { replayed } = replay
  for (const from of replay.statuses) {
    const chosen = walk.passed.filter(({ status }) => status === from)
    if (chosen.length === 0) continue
    // Fewer if one of them has just been sent again by other means.
    replayed += yield* startRuns(chosen, { trigger, from, finishedBy: createdAt, replayId: id, now })
  }
  const room = Math.min(walk.left, replay.max - replayed)
  const added = walk.atEnd && replay.missed && room > 0 ? yield* sendMissed(replay, room, now) : NONE_ADDED
  replayed += added.count
  const ends = replayed === replay.max || (walk.atEnd && (!replay.missed || added.atEnd))
  const place = added.at ?? { major: replay.atMajor, minor: replay.atMinor }
  yield* run(replaySql.save, [
    ...[id, replayed, walk.at.webhookId, walk.at.time, walk.at.deliveryId, ends ? now : null],
    ...[place.major, place.minor],
  ])
  return { looked: Math.max(1, limit - walk.left + added.looked), started: replayed - replay.replayed }
}

interface Added {
  readonly count: number
  readonly looked: number
  readonly at: FeedPlace | null
  /** Whether nothing is left that the webhook missed. */
  readonly atEnd: boolean
}

const NONE_ADDED: Added = { count: 0, looked: 0, at: null, atEnd: false }

/** Makes deliveries of events that the webhook missed, due now. @param limit events that it looks at */
function* sendMissed(replay: Progressing, limit: number, now: number): Work<Added> {
  const { id: replayId, workspaceId, from, to, eventTypes: asked } = replay
  const webhookId = replay.webhookId!
  const webhook = yield* row<{ readonly types: string }>(replaySql.typesOf, [webhookId])
  const eventTypes = webhook === undefined ? null : missedTypes(JSON.parse(webhook.types), asked)
  if (eventTypes === null) return { ...NONE_ADDED, atEnd: true }
  const filter = { workspaceId, webhookId, eventTypes, from, to }
  const { missed, ...step } = yield* nextMissed(
    filter,
    { major: replay.atMajor, minor: replay.atMinor },
    limit,
  )
  yield* addDeliveries(missed, { webhookId, replayId, now })
  return { ...step, count: missed.length }
}

/** @param limit rows that the caller looks at, in all */
function* readEnded(filter: ReplayFilter, at: ReplayPosition, limit: number): Work<readonly EndedOf[]> {
  const { workspaceId, webhookId: only, statuses, from, to } = filter
  const bounds = [Math.max(at.webhookId, only ?? 0), only ?? Number.MAX_SAFE_INTEGER]
  const webhooks = yield* rows<{ readonly id: number }>(replaySql.webhooks, [workspaceId, ...bounds, limit])
  const positions = webhooks.map(({ id }) => (id === at.webhookId ? at : beginning(filter, id)))
  const asked = positions.map(({ webhookId, time, deliveryId }) => ({
    webhook_id: webhookId,
    at_time: time,
    at_id: deliveryId,
  }))
  const values = [to ?? Number.MAX_SAFE_INTEGER, limit, from ?? 0]
  const found: EndedRow[][] = webhooks.map(() => [])
  for (const status of statuses) {
    const ofStatus = yield* rowsOfEach<Omit<EndedRow, 'status'>>(replaySql[status], asked, limit, values)
    for (const [index, ended] of ofStatus.entries())
      found[index]!.push(...ended.map((row) => ({ ...row, status })))
  }
  return webhooks.map(({ id }, index) => ({ webhookId: id, ended: found[index]!.sort(byAge) }))
}
