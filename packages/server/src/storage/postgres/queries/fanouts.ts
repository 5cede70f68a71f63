import { groupBy } from '../../../core/groupBy.ts'
import {
  type FanoutTarget,
  formatMatchSet,
  fullQueue,
  type LateDelivery,
  lateDelivery,
  type MatchedWebhook,
  MatchSets,
} from '../../fanout.ts'
import type { OnWebhook } from '../../matchCache.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { numbers } from '../values.ts'
import { type VerbResult, type VerbTable, writes } from '../verb.ts'
import { batchOf, type LateEvent, type PublishCall } from './newEvents.ts'

export const fanoutSql = {
  /** Rows that are missing are made first, so that each can be locked: two publishes must not both find the last room. */
  openQueues: `
    INSERT INTO fanout_queues (workspace_id, waiting)
    SELECT x, 0 FROM unnest($1::bigint[]) x ORDER BY x ON CONFLICT DO NOTHING`,
  lockQueues: `
    SELECT workspace_id, waiting FROM fanout_queues WHERE workspace_id = ANY ($1::bigint[])
    ORDER BY workspace_id FOR NO KEY UPDATE`,
  addWaiting: `
    UPDATE fanout_queues q SET waiting = q.waiting + x.count
    FROM unnest($1::bigint[], $2::bigint[]) AS x (workspace_id, count) WHERE q.workspace_id = x.workspace_id`,
  /** One that another node is about to drop is waited for, and found gone. */
  keepSet: 'SELECT 1 FROM match_sets WHERE id = $1 FOR KEY SHARE',
  addSet: 'INSERT INTO match_sets (workspace_id, webhooks) VALUES ($1, $2) RETURNING id',
  add: `
    INSERT INTO fanouts (event_id, created_at, workspace_id, set_id)
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])`,
}

/** What each workspace has waiting to be made; locked until the transaction ends. */
export type FanoutQueues = ReadonlyMap<number, number>

export async function lockQueues(tx: Tx, late: readonly LateEvent[]): Promise<FanoutQueues> {
  if (late.length === 0) return new Map()
  const ids = numbers(new Set(late.map(({ of }) => of.event.workspaceId)))
  await tx.run(fanoutSql.openQueues, [ids])
  const rows = await tx.rows<{ workspace_id: number; waiting: number }>(fanoutSql.lockQueues, [ids])
  return new Map(rows.map((row) => [row.workspace_id, row.waiting]))
}

/** @returns for each rejected batch, how many deliveries were waiting. Earlier batches are counted first. */
export function refusals(
  calls: readonly PublishCall[],
  late: readonly LateEvent[],
  queues: FanoutQueues,
): ReadonlyMap<string, number> {
  const waiting = new Map(queues)
  const refused = new Map<string, number>()
  for (const [batch, events] of groupBy(late, (event) => batchOf(event.of))) {
    const { maxFanout } = calls[events[0]!.of.call]!
    const added = countByWorkspace(events)
    const full = fullQueue(added, (id) => waiting.get(id)!, maxFanout)
    if (full !== null) refused.set(batch, full)
    else for (const [id, more] of added) waiting.set(id, waiting.get(id)! + more)
  }
  return refused
}

function countByWorkspace(late: readonly LateEvent[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { of, webhooks } of late) {
    const { workspaceId } = of.event
    counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + webhooks.length)
  }
  return counts
}

/** Notes events whose deliveries are made later. */
export class FanoutRows {
  /** The rows of lists, as far as this process wrote them; they may be gone by now. */
  readonly #setIds = new WeakMap<readonly OnWebhook[], number>()

  /** @param late with queues that are locked, and their sets as they are in this transaction */
  async add(tx: Tx, late: readonly LateEvent[]): Promise<void> {
    if (late.length === 0) return
    const setIds = new Map<readonly OnWebhook[], number>()
    for (const { of, webhooks } of late) {
      if (!setIds.has(webhooks)) setIds.set(webhooks, await this.#setId(tx, of.event.workspaceId, webhooks))
    }
    await tx.run(fanoutSql.add, [
      numbers(late.map(({ of }) => of.event.id)),
      numbers(late.map(({ of }) => of.event.createdAt)),
      numbers(late.map(({ of }) => of.event.workspaceId)),
      numbers(late.map(({ webhooks }) => setIds.get(webhooks)!)),
    ])
    const counts = [...countByWorkspace(late)].sort(([one], [other]) => one - other)
    await tx.run(fanoutSql.addWaiting, [
      numbers(counts.map(([workspaceId]) => workspaceId)),
      numbers(counts.map(([, count]) => count)),
    ])
  }

  async #setId(tx: Tx, workspaceId: number, webhooks: readonly OnWebhook[]): Promise<number> {
    const known = this.#setIds.get(webhooks)
    if (known !== undefined && (await tx.row(fanoutSql.keepSet, [known])) !== undefined) return known
    const { id } = (await tx.row<{ id: number }>(fanoutSql.addSet, [workspaceId, formatMatchSet(webhooks)]))!
    tx.onCommit(() => this.#setIds.set(webhooks, id))
    return id
  }
}

/** Events looked at for one workspace at a time. */
const MAX_EVENTS = 100
/** Workspaces tried in one step: other nodes may be at the first ones. */
const MAX_TURNS = 4

export const fanoutStepSql = {
  /** The workspace after the one whose turn was last, round and round. */
  turn: `
    SELECT coalesce(
      (SELECT workspace_id FROM fanouts WHERE workspace_id > $1 ORDER BY workspace_id LIMIT 1),
      (SELECT workspace_id FROM fanouts WHERE workspace_id > 0 ORDER BY workspace_id LIMIT 1)) AS "workspaceId"`,
  /** What another node is at is left to it. */
  oldest: `
    SELECT event_id, created_at, set_id, position FROM fanouts
    WHERE workspace_id = $1 ORDER BY event_id LIMIT ${MAX_EVENTS} FOR UPDATE SKIP LOCKED`,
  readSets: 'SELECT id, webhooks FROM match_sets WHERE id = ANY ($1::bigint[])',
  targets: `
    SELECT id, deleted_at, disabled_version, disabled_at FROM webhooks WHERE id = ANY ($1::bigint[])`,
  make: `
    WITH made AS MATERIALIZED (
      SELECT nextval('delivery_ids') AS id, event_id, created_at, webhook_id, canceled_at
      FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])
        AS d (event_id, created_at, webhook_id, canceled_at)),
    delivery AS (
      INSERT INTO deliveries (id, created_at, event_id, webhook_id, next_attempt_at, finished_at, attempts, run_start,
        status, trigger, ended_badly)
      SELECT id, created_at, event_id, webhook_id, CASE WHEN canceled_at IS NULL THEN created_at END, canceled_at, 0, 0,
        CASE WHEN canceled_at IS NULL THEN 'pending' ELSE 'canceled' END, 'schedule',
        CASE WHEN canceled_at IS NOT NULL THEN 'canceled' END
      FROM made)
    INSERT INTO waiting (webhook_id, due_at, delivery_id, created_at)
    SELECT webhook_id, created_at, id, created_at FROM made WHERE canceled_at IS NULL`,
  move: 'UPDATE fanouts SET position = $3 WHERE workspace_id = $1 AND event_id = $2',
  finish: 'DELETE FROM fanouts WHERE workspace_id = $1 AND event_id = ANY ($2::bigint[])',
  takeWaiting: 'UPDATE fanout_queues SET waiting = waiting - $2 WHERE workspace_id = $1',
  /** One that a publish is about to use again is left to its last event. */
  lockSets: 'SELECT id FROM match_sets WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE SKIP LOCKED',
  /** Asked for behind the lock, so that it sees the events of all who held the set before. */
  dropSets: `
    DELETE FROM match_sets s WHERE id = ANY ($1::bigint[])
      AND NOT EXISTS (SELECT 1 FROM fanouts WHERE set_id = s.id OFFSET 0)`,
}

interface FanoutRow {
  readonly event_id: number
  readonly created_at: number
  readonly set_id: number
  readonly position: number
}

/** A part of an event's set of webhooks, which one step looks at. */
interface Part {
  readonly fanout: FanoutRow
  readonly webhooks: readonly MatchedWebhook[]
  /** Whether nothing of the set is left behind it. */
  readonly last: boolean
}

/** Sets of webhooks by id. */
type Sets = Map<number, readonly MatchedWebhook[]>

const NOTHING: VerbResult<'stepFanouts'> = { looked: 0, workspaceIds: [] }

export function fanoutVerbs({ locks }: Store): Pick<VerbTable, 'stepFanouts'> {
  const cache = new MatchSets()
  let lastWorkspaceId = 0
  return {
    stepFanouts: writes(async (tx, { limit }) => {
      for (let turns = 0; turns < MAX_TURNS; turns++) {
        const workspaceId = await nextWorkspace(tx, lastWorkspaceId)
        if (workspaceId === null) return NOTHING
        lastWorkspaceId = workspaceId
        // Nothing of the workspace is switched off or deleted from here on.
        await locks.keep(tx, [workspaceId])
        const fanouts = await tx.rows<FanoutRow>(fanoutStepSql.oldest, [workspaceId])
        const parts = await readParts(tx, cache, fanouts, limit)
        if (parts.length > 0) {
          await makeDeliveries(tx, parts)
          return { looked: await endStep(tx, workspaceId, parts), workspaceIds: [workspaceId] }
        }
      }
      return NOTHING
    }),
  }
}

async function nextWorkspace(tx: Tx, after: number): Promise<number | null> {
  return (await tx.row<{ workspaceId: number | null }>(fanoutStepSql.turn, [after]))!.workspaceId
}

/** As many webhooks of the oldest events as a step may look at. */
async function readParts(
  tx: Tx,
  cache: MatchSets,
  fanouts: readonly FanoutRow[],
  limit: number,
): Promise<Part[]> {
  const ids = [...new Set(fanouts.map((row) => row.set_id))]
  // The step keeps its sets itself: the cache may drop any of them, also while others are added.
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
    await readSets(tx, cache, sets, missing.slice(0, count))
  }
}

async function readSets(tx: Tx, cache: MatchSets, sets: Sets, ids: readonly number[]): Promise<void> {
  const rows = await tx.rows<{ id: number; webhooks: string }>(fanoutStepSql.readSets, [numbers(ids)])
  if (rows.length < ids.length) throw new Error(`Some of the match sets ${ids.join(', ')} are missing`)
  for (const { id, webhooks } of rows) sets.set(id, cache.add(id, webhooks))
}

/** The parts up to the limit, or up to the first event whose set is not among `sets`. */
function partsOf(fanouts: readonly FanoutRow[], sets: Sets, limit: number): Part[] {
  const parts: Part[] = []
  let left = limit
  for (const fanout of fanouts) {
    const set = sets.get(fanout.set_id)
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

async function makeDeliveries(tx: Tx, parts: readonly Part[]): Promise<void> {
  const ids = new Set(parts.flatMap(({ webhooks }) => webhooks.map(([id]) => id)))
  const rows = await tx.rows<FanoutTarget & { id: number }>(fanoutStepSql.targets, [numbers(ids)])
  const targets = new Map(rows.map((row) => [row.id, row]))
  const late = parts.flatMap(({ fanout, webhooks }) =>
    webhooks.map(([webhookId, version]) => ({
      fanout,
      webhookId,
      delivery: lateDelivery(version, targets.get(webhookId)),
    })),
  )
  const made = late.filter(({ delivery }) => delivery.make !== 'none')
  if (made.length === 0) return
  await tx.run(fanoutStepSql.make, [
    numbers(made.map(({ fanout }) => fanout.event_id)),
    numbers(made.map(({ fanout }) => fanout.created_at)),
    numbers(made.map(({ webhookId }) => webhookId)),
    numbers(made.map(({ delivery }) => canceledAt(delivery))),
  ])
}

const canceledAt = (delivery: LateDelivery): number | null =>
  delivery.make === 'canceled' ? delivery.at : null

/** @returns how many webhooks were looked at */
async function endStep(tx: Tx, workspaceId: number, parts: readonly Part[]): Promise<number> {
  const looked = lookedAt(parts)
  const finished = parts.filter(({ last }) => last)
  const open = parts.find(({ last }) => !last)
  if (open !== undefined) {
    const { fanout, webhooks } = open
    await tx.run(fanoutStepSql.move, [workspaceId, fanout.event_id, fanout.position + webhooks.length])
  }
  if (finished.length > 0)
    await tx.run(fanoutStepSql.finish, [workspaceId, numbers(finished.map(({ fanout }) => fanout.event_id))])
  await tx.run(fanoutStepSql.takeWaiting, [workspaceId, looked])
  await dropSets(tx, new Set(finished.map(({ fanout }) => fanout.set_id)))
  return looked
}

async function dropSets(tx: Tx, setIds: ReadonlySet<number>): Promise<void> {
  if (setIds.size === 0) return
  const locked = await tx.rows<{ id: number }>(fanoutStepSql.lockSets, [numbers(setIds)])
  if (locked.length > 0) await tx.run(fanoutStepSql.dropSets, [numbers(locked.map(({ id }) => id))])
}
