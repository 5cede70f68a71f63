import { groupBy } from '../../../core/groupBy.ts'
import { formatMatchSet, fullQueue } from '../../fanout.ts'
import type { OnWebhook } from '../../matchCache.ts'
import type { ToMake } from '../../queries/driverCalls.ts'
import type { Tx } from '../transaction.ts'
import { numbers } from '../values.ts'
import { batchOf, type LateEvent, type PublishCall } from './newEvents.ts'

export const fanoutSql = {
  /** Missing rows are created first, so that each can be locked: two publishes must not both find the last room. */
  openQueues: `
    INSERT INTO fanout_queues (workspace_id, waiting)
    SELECT x, 0 FROM unnest($1::bigint[]) x ORDER BY x ON CONFLICT DO NOTHING`,
  lockQueues: `
    SELECT workspace_id, waiting FROM fanout_queues WHERE workspace_id = ANY ($1::bigint[])
    ORDER BY workspace_id FOR NO KEY UPDATE`,
  addWaiting: `
    UPDATE fanout_queues q SET waiting = q.waiting + x.count
    FROM unnest($1::bigint[], $2::bigint[]) AS x (workspace_id, count) WHERE q.workspace_id = x.workspace_id`,
  /** If another node is about to drop it, this waits and then finds none. */
  keepSet: 'SELECT 1 FROM match_sets WHERE id = $1 FOR KEY SHARE',
  addSet: 'INSERT INTO match_sets (workspace_id, webhooks) VALUES ($1, $2) RETURNING id',
  add: `
    INSERT INTO fanouts (event_id, created_at, workspace_id, set_id)
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])`,
}

/** How many deliveries of each workspace are not created yet; locked until the transaction ends. */
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

/** Stores events whose deliveries are created later. */
export class FanoutRows {
  /** The rows of lists that this process wrote; they may have been deleted. */
  readonly #setIds = new WeakMap<readonly OnWebhook[], number>()

  /** @param late with queues that are locked, and their sets as of this transaction */
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

export const lateSql = {
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
}

export async function makeDeliveries(tx: Tx, made: readonly ToMake[]): Promise<void> {
  await tx.run(lateSql.make, [
    numbers(made.map(({ eventId }) => eventId)),
    numbers(made.map(({ createdAt }) => createdAt)),
    numbers(made.map(({ webhookId }) => webhookId)),
    numbers(made.map(({ canceledAt }) => canceledAt)),
  ])
}
