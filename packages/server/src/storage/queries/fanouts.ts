import { type FanoutTarget, lateDelivery, type MatchedWebhook, type MatchSets } from '../fanout.ts'
import type { FanoutStep } from '../storage.ts'
import { type Queries, write } from './query.ts'
import { columns, FOR_UPDATE_SKIP_LOCKED, type Fragment, indexedBy, isOneOf, numberList, sql } from './sql.ts'
import { PendingEndCounts } from './statsRollup.ts'
import { all, callDriver, row, rows, run, type Work } from './work.ts'

/** Events looked at for one workspace at a time. */
const MAX_EVENTS = 100
/** Workspaces tried in one step: other nodes may be working on the first ones. */
const MAX_TURNS = 4

const nextWorkspace = (after: string) => sql`
      (SELECT workspace_id FROM fanouts ${indexedBy('fanouts_of_workspace')}
        WHERE workspace_id > ${after} ORDER BY workspace_id LIMIT 1)`
/** SQLite has it with the event. */
const CREATED_AT: Fragment = { sqlite: 'NULL', postgres: 'created_at' }
const TRACEPARENT: Fragment = {
  sqlite: '(SELECT traceparent FROM events WHERE id = fanouts.event_id)',
  postgres:
    '(SELECT traceparent FROM events WHERE id = fanouts.event_id AND created_at = fanouts.created_at)',
}
/** PostgreSQL keeps them: a publish locks its queue. */
const EMPTY_GO: Fragment = { sqlite: '', postgres: 'AND false' }
const ALONE: Fragment = { sqlite: '', postgres: 'OFFSET 0' }

export const fanoutStepSql = {
  /** The workspace after the one whose turn was last; after the last one, the first. */
  turn: sql`SELECT coalesce(${nextWorkspace('$1')}, ${nextWorkspace('0')}) AS "workspaceId"`,
  /** Events that another node is working on are left to it. */
  oldest: sql`
    SELECT ${columns('eventId setId position')}, ${CREATED_AT} AS "createdAt",
      ${TRACEPARENT} AS traceparent
    FROM fanouts ${indexedBy('fanouts_of_workspace')}
    WHERE workspace_id = $1 ORDER BY event_id LIMIT ${String(MAX_EVENTS)} ${FOR_UPDATE_SKIP_LOCKED}`,
  readSets: sql`SELECT id, webhooks FROM match_sets WHERE id ${isOneOf('$1', 'bigint')}`,
  targets: sql`
    SELECT id, deleted_at, disabled_version, disabled_at FROM webhooks WHERE id ${isOneOf('$1', 'bigint')}`,
  move: sql`UPDATE fanouts SET position = $3 WHERE workspace_id = $1 AND event_id = $2`,
  finish: sql`DELETE FROM fanouts WHERE workspace_id = $1 AND event_id ${isOneOf('$2', 'bigint')}`,
  finishQueue: sql`DELETE FROM fanout_queues WHERE workspace_id = $1 AND waiting <= $2 ${EMPTY_GO}`,
  takeWaiting: sql`UPDATE fanout_queues SET waiting = waiting - $2 WHERE workspace_id = $1`,
  /** A set that a publish is about to use again is dropped after its last event. */
  lockSets: sql`
    SELECT id FROM match_sets WHERE id ${isOneOf('$1', 'bigint')} ORDER BY id ${FOR_UPDATE_SKIP_LOCKED}`,
  /** After the lock, so that it sees the events of all that held the set before. */
  dropSets: sql`
    DELETE FROM match_sets WHERE id ${isOneOf('$1', 'bigint')} AND NOT EXISTS (
      SELECT 1 FROM fanouts ${indexedBy('fanouts_of_set')} WHERE set_id = match_sets.id ${ALONE})`,
}

interface FanoutRow {
  readonly eventId: number
  readonly setId: number
  readonly position: number
  readonly createdAt: number | null
  readonly traceparent: string | null
}

/** A part of an event's set of webhooks, which one step looks at. */
interface Part {
  readonly fanout: FanoutRow
  readonly webhooks: readonly MatchedWebhook[]
  /** Whether it is the last part of the set. */
  readonly last: boolean
}

/** Sets of webhooks by id. */
type Sets = Map<number, readonly MatchedWebhook[]>

const NOTHING: FanoutStep = { looked: 0, workspaceIds: [], traced: [] }

export const fanoutQueries: Queries<'stepFanouts'> = {
  stepFanouts: write(function* ({ limit }) {
    const memory = yield* callDriver('memory')
    for (let turns = 0; turns < MAX_TURNS; turns++) {
      const turn = yield* row<{ readonly workspaceId: number | null }>(fanoutStepSql.turn, [memory.fanouts])
      const { workspaceId } = turn!
      if (workspaceId === null) return NOTHING
      memory.fanouts = workspaceId
      // From here on, no webhook of the workspace is disabled or deleted.
      yield* callDriver('keepWebhooks', [workspaceId])
      const fanouts = yield* rows<FanoutRow>(fanoutStepSql.oldest, [workspaceId])
      const parts = yield* readParts(memory.matchSets, fanouts, limit)
      if (parts.length > 0) {
        const traced = yield* makeDeliveries(parts)
        return { looked: yield* endStep(workspaceId, parts), workspaceIds: [workspaceId], traced }
      }
    }
    return NOTHING
  }),
}

/** As many webhooks of the oldest events as a step may look at. */
function* readParts(cache: MatchSets, fanouts: readonly FanoutRow[], limit: number): Work<readonly Part[]> {
  const ids = [...new Set(fanouts.map(({ setId }) => setId))]
  // The step keeps its own references: the cache may drop any set, even while others are added.
  const sets: Sets = new Map()
  for (const id of ids) {
    const cached = cache.get(id)
    if (cached !== undefined) sets.set(id, cached)
  }
  // Each read takes twice as many sets as the one before: few reads for small sets, and no more than needed of large ones.
  for (let count = 1; ; count *= 2) {
    const parts = partsOf(fanouts, sets, limit)
    const missing = ids.filter((id) => !sets.has(id))
    if (missing.length === 0 || lookedAt(parts) === limit) return parts
    yield* readSets(cache, sets, missing.slice(0, count))
  }
}

function* readSets(cache: MatchSets, sets: Sets, ids: readonly number[]): Work<void> {
  const found = yield* rows<{ readonly id: number; readonly webhooks: string }>(fanoutStepSql.readSets, [
    numberList(ids),
  ])
  if (found.length < ids.length) throw new Error(`Some of the match sets ${ids.join(', ')} are missing`)
  for (const { id, webhooks } of found) sets.set(id, cache.add(id, webhooks))
}

/** The parts up to the limit, or up to the first event whose set is not among `sets`. */
function partsOf(fanouts: readonly FanoutRow[], sets: Sets, limit: number): Part[] {
  const parts: Part[] = []
  let left = limit
  for (const fanout of fanouts) {
    const set = sets.get(fanout.setId)
    if (left === 0 || set === undefined) break
    const end = Math.min(fanout.position + left, set.length)
    const webhooks = set.slice(fanout.position, end)
    parts.push({ fanout, webhooks, last: end === set.length })
    left -= webhooks.length
  }
  return parts
}

const lookedAt = (parts: readonly Part[]): number =>
  parts.reduce((sum, { webhooks }) => sum + webhooks.length, 0)

function* makeDeliveries(parts: readonly Part[]): Work<FanoutStep['traced']> {
  const ids = new Set(parts.flatMap(({ webhooks }) => webhooks.map(([id]) => id)))
  const found = yield* rows<FanoutTarget & { readonly id: number }>(fanoutStepSql.targets, [numberList(ids)])
  const targets = new Map(found.map((target) => [target.id, target]))
  const made = parts.flatMap(({ fanout: { eventId, createdAt, position }, webhooks }) =>
    webhooks.flatMap(([webhookId, version], at) => {
      const late = lateDelivery(version, targets.get(webhookId))
      if (late.make === 'none') return []
      const canceledAt = late.make === 'canceled' ? late.at : null
      return [{ eventId, createdAt, position: position + at, webhookId, canceledAt }]
    }),
  )
  if (made.length === 0) return []
  yield* callDriver('makeDeliveries', made)
  const ended = new PendingEndCounts()
  for (const { webhookId, canceledAt } of made) if (canceledAt !== null) ended.canceled(webhookId, canceledAt)
  yield* ended.save()
  return tracedOf(parts, made)
}

function tracedOf(
  parts: readonly Part[],
  made: readonly { readonly eventId: number }[],
): FanoutStep['traced'] {
  return parts.flatMap(({ fanout: { eventId, traceparent } }) =>
    traceparent === null
      ? []
      : [{ traceparent, deliveries: made.filter((delivery) => delivery.eventId === eventId).length }],
  )
}

/** @returns how many webhooks were looked at */
function* endStep(workspaceId: number, parts: readonly Part[]): Work<number> {
  const looked = lookedAt(parts)
  const finished = parts.filter(({ last }) => last).map(({ fanout }) => fanout)
  const open = parts.find(({ last }) => !last)
  if (open !== undefined) {
    const { fanout, webhooks } = open
    yield* run(fanoutStepSql.move, [workspaceId, fanout.eventId, fanout.position + webhooks.length])
  }
  if (finished.length > 0)
    yield* run(fanoutStepSql.finish, [workspaceId, numberList(finished.map(({ eventId }) => eventId))])
  yield* all(
    run(fanoutStepSql.finishQueue, [workspaceId, looked]),
    run(fanoutStepSql.takeWaiting, [workspaceId, looked]),
  )
  yield* dropSets(new Set(finished.map(({ setId }) => setId)))
  return looked
}

function* dropSets(setIds: ReadonlySet<number>): Work<void> {
  if (setIds.size === 0) return
  const locked = yield* rows<{ readonly id: number }>(fanoutStepSql.lockSets, [numberList(setIds)])
  if (locked.length > 0) yield* run(fanoutStepSql.dropSets, [numberList(locked.map(({ id }) => id))])
}
